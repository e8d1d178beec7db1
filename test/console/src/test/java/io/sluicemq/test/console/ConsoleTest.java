package io.sluicemq.test.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.api.users.Role;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import io.sluicemq.server.SluiceMQ;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console in a browser, against a whole broker with clients that publish, consume, and are held. */
class ConsoleTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String NASTY = "<img src=x onerror=alert(1)>/%2F?#&\"'";
    private static final List<String> PAGES = List.of(
            "", "flow", "queues", "queues/%2F/orders", "addresses", "exchanges", "exchanges/%2F/stocks", "connections",
            "queues/%2F/reports", "events", "settings", "flow/queue/%2F/orders", "flow/exchange/%2F/stocks",
            "flow/vhost/%2F/-", "nothing/of/that");

    private static final String ALL =
            "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";
    private static final String CONTRAST = "['color-contrast']";

    private static SluiceMQ broker;
    private static Browser browser;
    private static Connection held;
    private static Connection busy;
    private static jakarta.jms.Connection office;
    private static ScheduledExecutorService clock;
    private static String axe;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Browser.program();
        Assumptions.assumeTrue(
                program.isPresent(), "the console is not tested: no chromium is installed (Debian's package chromium)");
        broker = SluiceMQ.builder()
                .port(0)
                .httpPort(0)
                .virtualHosts("/", "other")
                .loops(2)
                .addressSettings(
                        AddressSetting.match("orders").maxSizeBytes(20_000).fullPolicy(FullPolicy.BLOCK),
                        AddressSetting.match("stocks").maxMessages(1_000_000).fullPolicy(FullPolicy.BLOCK),
                        AddressSetting.match("reports").consumer(ConsumerSetting.policy(ConsumerPolicy.NOTIFY)
                                .messageCount(2).checkPeriod(Duration.ofSeconds(1))))
                .user("guest", "guest")
                .role("guest", Role.ADMINISTRATOR)
                .user("moni", "look")
                .role("moni", Role.MONITOR)
                .start();
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        held = factory.newConnection("the shop");
        busy = factory.newConnection("the feed");
        haveSomebodyHeld();
        haveMessagesFlow();
        haveASlowConsumer();
        try (InputStream in = ConsoleTest.class.getResourceAsStream("/axe.min.js")) {
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        browser = Browser.start(program.get());
    }

    /** A consumer that holds two messages, and a producer that finds the queue full. */
    private static void haveSomebodyHeld() throws IOException {
        Channel channel = held.createChannel();
        channel.queueDeclare("orders", false, false, false, null);
        Channel consumer = held.createChannel();
        consumer.basicQos(2);
        consumer.basicConsume("orders", false, "the stuck one", (tag, delivery) -> {}, tag -> {});
        for (int i = 0; i < 30; i++) {
            channel.basicPublish("", "orders", null, new byte[1000]);
        }
    }

    /** An exchange with two queues, one of which has a consumer that keeps up. */
    private static void haveMessagesFlow() throws IOException {
        Channel channel = busy.createChannel();
        channel.exchangeDeclare("stocks", "topic");
        channel.queueDeclare("prices", false, false, false, null);
        channel.queueDeclare("archive", false, false, false, Map.of("x-max-length", 100));
        channel.queueBind("prices", "stocks", "eu.#");
        channel.queueBind("archive", "stocks", "#");
        channel.queueDeclare(NASTY, false, false, false, null);
        channel.queueDeclare("notes", false, false, false, null);
        channel.queueDeclare("reports", false, false, false, null);
        Channel consumer = busy.createChannel();
        consumer.basicConsume("prices", true, (tag, delivery) -> {}, tag -> {});
        clock = Executors.newSingleThreadScheduledExecutor();
        clock.scheduleAtFixedRate(() -> publish(channel), 0, 20, TimeUnit.MILLISECONDS);
    }

    /** By AMQP 1.0: it has two messages and acknowledges none, so that the rule about its queue finds it too slow. */
    private static void haveASlowConsumer() throws Exception {
        office = new JmsConnectionFactory(
                "guest", "guest", broker.amqpUri() + "?jms.clientID=the-office&jms.prefetchPolicy.all=2")
                .createConnection();
        Session session = office.createSession(Session.CLIENT_ACKNOWLEDGE);
        Queue reports = session.createQueue("reports");
        try (MessageProducer producer = session.createProducer(reports)) {
            for (int i = 0; i < 6; i++) {
                producer.send(session.createTextMessage("report " + i));
            }
        }
        session.createConsumer(reports).setMessageListener(message -> {});
        session.createProducer(session.createQueue("notes"));
        office.start();
    }

    private static void publish(Channel channel) {
        try {
            channel.basicPublish("stocks", "eu.x", null, new byte[100]);
        } catch (IOException e) {
            throw new AssertionError(e); // ends the flow, which a test then misses
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (broker == null) {
            return;
        }
        try {
            clock.shutdown();
            clock.awaitTermination(10, TimeUnit.SECONDS);
            held.abort(1000); // it is not read from, and would wait for an answer
            busy.close();
            office.close();
        } finally {
            broker.close();
            browser.close();
        }
    }

    @BeforeEach
    void logIn() {
        browser.size(1360, 900);
        browser.dark(false);
        browser.open(broker.httpUri().orElseThrow() + "/");
        untilThereIs("[name=password], #menu");
        if (is("document.querySelector('[name=password]') !== null")) {
            logIn("guest", "guest");
        }
        untilTextHas("Overview");
    }

    /** Whatever a test does, the page has nothing to complain of: no error, no warning, no violation of its policy. */
    @AfterEach
    void nothingIsWrong() {
        if (browser != null) {
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void logIn(String name, String password) {
        untilThereIs("[name=password]");
        browser.eval("document.querySelector('[name=name]').focus()");
        browser.type(name);
        browser.eval("document.querySelector('[name=password]').focus()");
        browser.type(password);
        browser.press("Enter");
    }

    // ---- the page

    private static boolean is(String condition) {
        return browser.eval("Boolean(" + condition + ")").asBoolean();
    }

    private static void until(String condition) {
        await().atMost(SOON).until(() -> is(condition));
    }

    private static void untilThereIs(String selector) {
        until("document.querySelector(" + quoted(selector) + ")");
    }

    private static void untilTextHas(String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(browser.text()).contains(text));
    }

    private static String quoted(String text) {
        return JSON.writeValueAsString(text);
    }

    /** Goes to a page, and waits until what it shows has come. */
    private static void go(String page) {
        browser.eval("location.hash = " + quoted("#/" + page));
        until("document.querySelector('main h1') && !document.querySelector('main').innerText.includes('Loading…')");
    }

    private static void click(String text) {
        String found =
                "[...document.querySelectorAll('button, a')].find(each => each.textContent.trim() === " + quoted(text)
                        + " && each.checkVisibility())";
        until(found);
        browser.eval(found + ".click()");
    }

    private static void fill(String name, String value) {
        String field = "document.querySelector('dialog [name=" + name + "]')";
        until(field);
        browser.eval(field + ".value = " + quoted(value));
    }

    /** What the dialog says, which stays open. */
    private static void untilErrorIs(String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(
                browser.eval("document.querySelector('dialog[open] .error')?.textContent").asString())
                .isEqualTo(text));
    }

    private static void submit() {
        browser.eval("document.querySelector('dialog [type=submit]').click()");
    }

    // ---- who

    @Test
    void shouldRefuseAWrongPasswordAndKeepNothingOfIt() {
        click("Log out");
        logIn("guest", "a-wrong-password");
        untilTextHas("The name or the password is not right.");

        assertThat(browser.eval("sessionStorage.length + localStorage.length").asInt()).isZero();
        assertThat(browser.eval("document.cookie + location.href").asString()).doesNotContain("password");
        assertThat(browser.requests()).noneMatch(url -> url.contains("wrong") || url.contains("guest"));
        assertThat(browser.complaints()).singleElement().asString().contains("401");
    }

    @Test
    void shouldKeepALoginForTheTabUntilTheUserLogsOut() {
        browser.open(broker.httpUri().orElseThrow() + "/?again#/queues");
        untilTextHas("prices");
        click("Log out");
        untilThereIs("[name=password]");

        assertThat(browser.eval("sessionStorage.length").asInt()).isZero();
        browser.open(broker.httpUri().orElseThrow() + "/?more#/queues");
        untilThereIs("[name=password]");
        assertThat(browser.text()).doesNotContain("prices");
    }

    // ---- by its address

    /** No page needs another to have been opened before: each is the first one that is loaded, as with F5, and some after a login. */
    @Test
    void shouldShowEachPageByItsAddressAlone() {
        List<String> pages = pages();
        browser.eval("[...document.querySelectorAll('#menu nav a')].map(each => each.hash)").valueStream()
                .map(each -> each.asString().substring(2))
                .forEach(each -> assertThat(pages).contains(each));
        for (String page : pages) {
            openAlone(page);
            untilItIsShown(page);
        }
        for (String page : List.of("flow", "queues/%2F/orders")) {
            browser.eval("sessionStorage.clear()");
            openAlone(page);
            logIn("guest", "guest");
            untilItIsShown(page + " after a login");
        }
    }

    /** Only another question has the browser load it anew. */
    private static void openAlone(String page) {
        browser.open(broker.httpUri().orElseThrow() + "/?" + browser.requests().size() + "#/" + page);
    }

    private static void untilItIsShown(String page) {
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(browser.eval("document.querySelector('main:not(.login) h1')?.innerText").asString())
                    .as(page).isNotBlank().isNotIn("Not there", "Refused");
            assertThat(browser.text()).as(page).doesNotContain("Loading…").doesNotContain("not reachable");
            assertThat(browser.eval("[...document.querySelectorAll('.banner.bad')].map(each => each.innerText)"))
                    .as(page).isEmpty();
        });
        assertThat(browser.complaints()).as(page).isEmpty();
    }

    @Test
    void shouldSayThatAFaultOfItsOwnIsNotTheBrokers() {
        browser.eval("window.asIs = fetch; window.fetch = (url, how) => /^.api.(queues|flow)/.test(url)"
                + " ? Promise.resolve(new Response('{}')) : asIs(url, how); true");
        for (String page : List.of("queues", "flow")) { // one can't be drawn, the other not even be read
            go(page);
            untilTextHas("This is a defect of the console, not of the broker");
            assertThat(browser.text()).as(page).doesNotContainIgnoringCase("not reachable").doesNotContain("next try");
            assertThat(browser.complaints()).as(page).singleElement().asString().contains("TypeError");
        }
        browser.eval("window.fetch = asIs; true");
        untilThereIs(".map a");

        assertThat(browser.eval("document.querySelector('main').innerText").asString()).doesNotContain("defect");
    }

    @Test
    void shouldCloseADialogWithThePageThatItBelongsTo() {
        go("queues");
        go("queues/%2F/notes");
        click("Purge…");
        untilThereIs("dialog[open]");
        browser.eval("history.back()");
        until("document.querySelector('h1').innerText === 'Queues'");

        assertThat(browser.eval("document.querySelectorAll('dialog').length").asInt()).isZero();
    }

    // ---- what is there

    @Test
    void shouldShowRatesOfWhatPasses() {
        await().atMost(SOON).untilAsserted(() -> assertThat(
                Double.parseDouble(
                        browser.eval("document.querySelector('.tiles b').textContent").asString().replace("/s", "")))
                .isBetween(20.0, 100.0));
        until("document.querySelector('.chart path.line.s1').getAttribute('d').includes('L')");
        untilTextHas("Listeners");
        assertThat(browser.eval("[...document.querySelectorAll('.chart > svg')].map(each => new Set("
                + "[...each.querySelectorAll('.grid text')].map(text => parseFloat(text.textContent))"
                + ".map((level, i, all) => level - (all[i - 1] ?? 2 * level - all[i + 1]))).size)").toString())
                .as("how many different steps each chart has").isEqualTo("[1,1]");
        untilTextHas("14 waiting");
    }

    @Test
    void shouldShowOnTheFlowMapWhoWaitsAndWhy() {
        go("flow");

        untilThereIs(".map a.held[aria-label^='Producer'][aria-label*='the shop']");
        untilThereIs(".map a.held[aria-label^='Queue orders']");
        untilThereIs(".map path.edge.held");
        untilThereIs(".map a[aria-label^='Exchange stocks']");
        untilThereIs(".map a[aria-label^='Consumer'][aria-label*='the feed']");
        assertThat(browser.eval("document.querySelector('.reason').innerText").asString())
                .contains("queue orders")
                .contains("% of 19.5 KiB")
                .containsPattern("the shop, channel 1, has waited .* for room \\(max-size-bytes 20000\\)")
                .contains("consumer the stuck one of")
                .contains("must move first. It holds 2 messages and acknowledges none")
                .contains("sluicemq limit orders max-size-bytes=…");
        // The same in the table, for whoever can't see the map.
        assertThat(browser.eval("[...document.querySelectorAll('tbody tr')].find(row => row.cells[0].innerText"
                + ".startsWith('orders')).innerText").asString()).contains("the shop").contains("1 producer waits");
        until("[...document.querySelectorAll('.map .flowing')].some(each => /^[1-9].*\\/s$/.test(each.textContent))");
        // What a consumer gets that acknowledges nothing is not known, and is marked.
        until("[...document.querySelectorAll('.map .flowing')].some(each => /^≈ [1-9].*\\/s$/.test(each.textContent))");
        assertThat(browser.eval("document.querySelector('.map a[aria-label^=Consumer][aria-label*=\"the feed\"]')"
                + ".getAttribute('aria-label')").asString()).contains("≈ is an estimate: it acknowledges nothing");
        assertThat(browser.eval("document.querySelector('.key').innerText").asString()).contains("≈ estimated");
    }

    @Test
    void shouldShowAMonitorWhatThereIsAndNoActs() {
        click("Log out");
        logIn("moni", "look");
        untilTextHas("Overview");
        go("connections");
        String connection = browser.eval(
                "[...document.querySelectorAll('tbody a')].find(each => each.textContent.includes('the shop')).hash")
                .asString();
        try {
            for (String page : List.of("queues/%2F/orders", "exchanges/%2F/stocks", connection.substring(2))) {
                go(page);
                untilTextHas("To act, an operator's role is needed.");
                assertThat(browser.eval("document.querySelectorAll('.acts button').length").asInt()).as(page).isZero();
            }
            assertThat(browser.text()).contains("has waited").contains("must move first");
            go("settings");
            untilTextHas("They are shown to administrators; moni is monitor.");
            go("flow");
            untilThereIs(".map a.held");
        } finally {
            click("Log out");
            untilThereIs("[name=password]");
        }
    }

    @Test
    void shouldTellOfASlowConsumer() {
        go("events?kind=slow_consumer");
        untilTextHas("reports");
        go("queues/%2F/reports");
        untilTextHas("too slow for");
        untilTextHas("a consumer is too slow");
        untilTextHas("with more than 2 messages; then it is told of");
        go("queues");
        untilTextHas("its own: 100 messages");
        go("queues/%2F/archive");
        untilTextHas("x-max-length = 100");
    }

    /** Pages have 50 rows however many queues there are, and the map says how many it leaves out. */
    @Test
    void shouldStayUsableWithTenThousandQueues() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        factory.setVirtualHost("other");
        try (Connection owner = factory.newConnection("the owner of many")) {
            Channel channel = owner.createChannel();
            for (int i = 0; i < 9_999; i++) {
                channel.queueDeclareNoWait(String.format("many.%05d", i), false, true, false, null);
            }
            channel.queueDeclare("one", false, true, false, null);
            channel.basicPublish("", "many.07777", null, new byte[10]);

            long begun = System.nanoTime();
            go("queues?vhost=other");
            untilTextHas("1–50 of 10,000 queues");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("until rows were there").isLessThan(SOON);
            assertThat(browser.eval("document.querySelectorAll('tbody tr').length").asInt()).isEqualTo(50);
            click("Ready");
            until("document.querySelector('tbody tr')?.innerText.includes('many.07777')");
            click("Next →");
            untilTextHas("51–100 of 10,000 queues");
            go("flow?vhost=other");
            untilThereIs(".map a[aria-label^='Queue many.07777']");
            until("document.querySelector('#left-out').innerText.includes('Not shown: 9,999 queues')");
            assertThat(browser.eval("document.querySelectorAll('.map a').length").asInt()).isLessThan(60);
        }
        await().atMost(SOON).until(() -> broker.counters().queues() < 20);
    }

    @Test
    void shouldFocusTheFlowMapOnOneQueue() {
        go("flow");
        untilThereIs(".map a[aria-label^='Queue prices']");
        browser.eval("document.querySelector('.map a[aria-label^=\"Queue prices\"]')"
                + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))");
        untilTextHas("Flow map of queue prices");
        untilThereIs(".map a[aria-label^='Producer'][aria-label*='the feed']");

        assertThat(browser.eval("document.querySelectorAll('.map a[aria-label^=Queue]').length").asInt()).isEqualTo(1);
        assertThat(browser.eval("location.hash").asString()).isEqualTo("#/flow/queue/%2F/prices");
    }

    @Test
    void shouldShowWhateverANameHolds() {
        go("queues");
        untilTextHas(NASTY);
        click(NASTY);
        untilTextHas("Queue " + NASTY);
        untilTextHas("Bindings");
        go("flow/queue/%2F/" + browser.eval("encodeURIComponent(" + quoted(NASTY) + ")").asString());
        untilThereIs(".map a[aria-label^='Queue <img']");
        assertThat(browser.eval("document.querySelector('.map a[aria-label^=\"Queue <img\"] .label').textContent")
                .asString())
                .startsWith("<img src=x").endsWith("…");
        assertThat(browser.eval("[...document.querySelectorAll('.map a')].filter(each => "
                + "each.querySelector('.label').getBBox().width > each.querySelector('.box').getBBox().width - 20).length")
                .asInt())
                .as("names that are cut by their boxes").isZero();

        assertThat(browser.eval("document.querySelectorAll('main img').length").asInt()).isZero();
    }

    @Test
    void shouldPageFilterAndSortOnTheServer() {
        go("queues");
        click("Ready");
        until("document.querySelector('th[aria-sort=descending]').innerText.startsWith('Ready')");
        until("Number(document.querySelector('tbody tr td.number').innerText) > 0");
        browser.eval("document.querySelector('[name=name]').focus()");
        browser.type("pri");
        until("document.querySelectorAll('tbody tr').length === 1");

        assertThat(browser.eval("location.hash").asString()).contains("name=pri").contains("sort=messages_ready");
        assertThat(browser.text()).contains("1–1 of 1 queues (of 6)");
        assertThat(browser.eval("document.activeElement.name").asString()).isEqualTo("name");
        browser.type("-there-is-none");
        untilTextHas("no queues (of 6)");
    }

    // ---- what can be done

    @Test
    void shouldPublishBrowseAndPurge() {
        go("queues/%2F/notes");
        click("Publish…");
        fill("payload", "a <b>test</b> message");
        submit();
        untilTextHas("Published: 1 queue took it.");
        click("Look at messages…");
        submit();
        untilTextHas("a <b>test</b> message");
        assertThat(browser.text()).contains("1 message at");
        click("Purge…");
        submit();
        untilTextHas("Purged: the ready messages of notes were dropped.");
        click("Look at messages…");
        submit();
        untilTextHas("There is no ready message.");
    }

    @Test
    void shouldPauseMoveAndSayWhyItIsRefused() throws Exception {
        Channel channel = busy.createChannel();
        channel.queueDeclare("letters", false, false, false, null);
        go("queues/%2F/letters");
        click("Publish…");
        fill("payload", "there is one to move");
        submit();
        untilTextHas("Published: 1 queue took it.");
        click("Pause…");
        submit();
        untilTextHas("letters is paused.");
        until("document.querySelector('.title .chip').innerText.includes('paused')");
        click("Resume…");
        submit();
        untilTextHas("letters goes on.");
        click("Move…");
        fill("to", "no such queue");
        browser.eval("document.querySelector('dialog [name=where]').value = 'queue'");
        submit();
        untilErrorIs("Refused: queue 'letters' in vhost '/': no queue is reached by its messages (400)");
        browser.eval("document.querySelector('dialog')?.close()");
        browser.complaints(); // the browser reports an answer of 400 or 404
        channel.queueDelete("letters"); // others count queues
        channel.close();
    }

    @Test
    void shouldTakeMessagesSendDeadLettersBackAndDelete() throws Exception {
        Channel channel = busy.createChannel();
        channel.queueDeclare("dead", false, false, false, null);
        channel.queueDeclare("work", false, false, false, Map.of(
                "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        channel.basicPublish("", "work", null, "to die".getBytes(StandardCharsets.UTF_8));
        go("queues/%2F/work");
        click("Look at messages…");
        fill("mode", "reject_requeue_false");
        submit();
        untilTextHas("Shows 1 message.");
        untilTextHas("to die");
        await().atMost(SOON).until(() -> channel.messageCount("dead") == 1);

        go("queues/%2F/dead");
        click("Move…");
        fill("where", "died");
        submit();
        untilTextHas("Moved 1 message; 0 remain.");
        assertThat(channel.messageCount("work")).isEqualTo(1);

        go("queues/%2F/work");
        click("Look at messages…");
        fill("mode", "ack_requeue_false");
        submit();
        untilTextHas("Shows 1 message.");
        assertThat(channel.messageCount("work")).isZero();
        click("Delete…");
        fill("only", "if-empty");
        submit();
        untilTextHas("Deleted work.");
        assertThat(browser.eval("location.hash").asString()).isEqualTo("#/queues");
        go("queues/%2F/dead");
        click("Delete…");
        submit();
        untilTextHas("Deleted dead.");
        go("events?kind=act");
        untilTextHas("deleted the queue: dead");
        Channel another = busy.createChannel();
        assertThatThrownBy(() -> another.queueDeclarePassive("dead")).isInstanceOf(IOException.class);
        channel.close();
    }

    @Test
    void shouldCloseAConnectionWithAReason() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        factory.setAutomaticRecoveryEnabled(false);
        Connection victim = factory.newConnection("the victim");
        CompletableFuture<String> told = new CompletableFuture<>();
        victim.addShutdownListener(cause -> told.complete(cause.getMessage()));
        go("connections?name=victim");
        until("document.querySelector('tbody a')?.textContent.includes('the victim')");
        browser.eval("document.querySelector('tbody a').click()");
        click("Close the connection…");
        fill("reason", "too old a client");
        submit();

        assertThat(told.get(20, TimeUnit.SECONDS)).contains("too old a client");
        untilTextHas("the victim.");
        assertThat(browser.eval("location.hash").asString()).isEqualTo("#/connections");
    }

    // ---- for everybody

    /** Those of each kind, with connections by both protocols. */
    private static List<String> pages() {
        go("connections");
        untilTextHas("the shop");
        List<String> pages = new ArrayList<>(PAGES);
        browser.eval("[...document.querySelectorAll('tbody a')].map(each => each.hash)").valueStream()
                .map(each -> each.asString().substring(2))
                .forEach(pages::add);
        return pages;
    }

    @Test
    void shouldFitAPhone() throws Exception {
        browser.size(360, 740);
        for (String page : pages()) {
            go(page);
            shoot(page, "phone");
            assertThat(browser.eval("document.documentElement.scrollWidth").asInt()).as(page).isLessThanOrEqualTo(360);
        }
        browser.complaints(); // of the page that isn't there
        click("Menu");
        click("Queues");
        untilTextHas("prices");
    }

    @Test
    void shouldPassAnAccessibilityCheckInLightAndDark() throws Exception {
        for (String page : pages()) {
            go(page);
            assertThat(violations(ALL)).as(page).isEmpty();
            shoot(page, "light");
            browser.dark(true);
            assertThat(violations(CONTRAST)).as(page + ", dark").isEmpty();
            shoot(page, "dark");
            browser.dark(false);
        }
        browser.complaints(); // of the page that isn't there
        go("queues/%2F/notes");
        untilTextHas("Publish…");
        browser.eval("[...document.querySelectorAll('button')].find(each => each.textContent === 'Publish…').focus()");
        browser.press("Enter");
        untilThereIs("dialog[open]");
        assertThat(violations(ALL)).as("dialog").isEmpty();
        browser.press("Escape");
        until("!document.querySelector('dialog')");
        assertThat(browser.eval("document.activeElement.textContent").asString()).isEqualTo("Publish…");
        click("Log out");
        untilThereIs("[name=password]");
        assertThat(violations(ALL)).as("login").isEmpty();
    }

    /** What axe finds against WCAG 2.2 AA, or some of its rules. */
    private static List<String> violations(String rules) {
        if (!is("window.axe")) {
            browser.eval(axe + "; true");
        }
        JsonNode found = browser.eval(
                "axe.run(document, {runOnly: " + rules + "}).then(all => all.violations.map(each => each.id + ': '"
                        + " + each.nodes.slice(0, 3).map(node => node.html + ' ' + node.failureSummary).join(' | ')))");
        return found.valueStream().map(JsonNode::asString).toList();
    }

    /** Into the folder that {@code console.shots} names, if it does. */
    private static void shoot(String page, String how) throws IOException {
        String folder = System.getProperty("console.shots", "");
        if (!folder.isEmpty()) {
            browser.screenshot(
                    Path.of(folder, (page.isEmpty() ? "overview" : page.replaceAll("\\W+", "-")) + "-" + how + ".png"));
        }
    }

    @Test
    void shouldBeUsedByKeyboard() {
        browser.eval("document.activeElement.blur()");
        browser.press("Tab");
        assertThat(browser.eval("document.activeElement.textContent").asString()).isEqualTo("Skip to the content");
        browser.press("Enter");
        until("document.activeElement.id === 'main'");
        for (int i = 0; i < 30 && !is("document.activeElement.textContent === 'queue orders'"); i++) {
            browser.press("Tab");
        }
        browser.press("Enter");
        untilTextHas("Flow map of queue orders");
        until("document.activeElement.tagName === 'H1'");
    }

    @Test
    void shouldKeepFocusAndWhatWasTypedWhileItIsUpdated() {
        go("queues/%2F/prices");
        browser.eval(
                "[...document.querySelectorAll('summary, a, button')].find(each => each.textContent === 'Move…').focus()");
        String sum = "document.querySelectorAll('.tiles .quiet')[2].textContent";
        String before = browser.eval(sum).asString();
        until(sum + " !== " + quoted(before));

        assertThat(browser.eval("document.activeElement.textContent").asString()).isEqualTo("Move…");
    }

    @Test
    void shouldSayWhenTheBrokerIsNotReachableAndComeBack() {
        browser.offline(true);
        untilTextHas("Not reachable since");
        assertThat(browser.eval("document.getElementById('said').getAttribute('aria-live')").asString())
                .isEqualTo("polite");
        assertThat(browser.text()).contains("What is shown is from before");
        browser.offline(false);
        until("!document.body.innerText.includes('Not reachable since')");

        assertThat(browser.complaints()).allMatch(each -> each.contains("ERR_INTERNET_DISCONNECTED"));
    }

    @Test
    void shouldTurnDarkAndLightByASwitch() {
        String ground = "getComputedStyle(document.body).backgroundColor";
        String light = browser.eval(ground).asString();
        browser.eval(
                "const s = document.querySelector('[name=theme]'); s.value = 'dark'; s.dispatchEvent(new Event('change'))");
        assertThat(browser.eval(ground).asString()).isNotEqualTo(light);
        browser.open(broker.httpUri().orElseThrow() + "/?kept");
        untilTextHas("Overview");
        assertThat(browser.eval(ground).asString()).isNotEqualTo(light);
        browser.eval(
                "const s = document.querySelector('[name=theme]'); s.value = 'auto'; s.dispatchEvent(new Event('change'))");
        assertThat(browser.eval(ground).asString()).isEqualTo(light);
    }

    @Test
    void shouldAskNobodyButTheBroker() {
        go("flow");

        assertThat(browser.requests()).isNotEmpty()
                .allMatch(url -> url.startsWith(broker.httpUri().orElseThrow()) || url.equals("about:blank"));
    }
}
