package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client.Reservation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryReservationTest {

    private static final long BUDGET = 100 << 20;

    private final TestBroker broker = new TestBroker(3, BUDGET);
    private final List<String> granted = new ArrayList<>();

    private Reservation asks(int loop, String name, long mib) {
        TestBroker.TestClient client = broker.connect(loop);
        Reservation[] reservation = new Reservation[1];
        client.does(() -> reservation[0] = client.client.reserve(mib << 20, () -> granted.add(name)));
        return () -> client.does(reservation[0]::release);
    }

    @Test
    void shouldGrantHalfTheBudgetInTurn() {
        Reservation first = asks(0, "first", 30);
        asks(1, "second", 20);
        asks(2, "third", 20);
        asks(0, "small, but behind", 2);
        assertThat(granted).containsExactly("first", "second");
        first.release();
        assertThat(granted).hasSize(4).contains("third", "small, but behind");
    }

    @Test
    void shouldGrantOneThatIsLargerThanAllOfIt() {
        Reservation large = asks(1, "large", 200);
        asks(2, "next", 1);
        assertThat(granted).containsExactly("large");
        large.release();
        assertThat(granted).containsExactly("large", "next");
    }

    @Test
    void shouldForgetWhoNoLongerWaits() {
        Reservation first = asks(1, "first", 50);
        Reservation gone = asks(2, "gone", 50);
        asks(1, "third", 50);
        gone.release();
        first.release();
        assertThat(granted).containsExactly("first", "third");
    }

    @Test
    void shouldGrantNothingWhileMemoryIsShort() {
        TestBroker.TestClient holder = broker.connect(1);
        holder.does(() -> holder.client.holds(BUDGET + 1));
        asks(2, "late", 10);
        assertThat(granted).isEmpty();
        holder.does(() -> holder.client.holds(-BUDGET));
        assertThat(granted).containsExactly("late");
    }

    @Test
    void shouldTellAClientAtOnceThatMemoryIsShort() {
        TestBroker.TestClient holder = broker.connect(1);
        holder.does(() -> holder.client.holds(BUDGET + 1));
        assertThat(broker.connect(1).lowCalls).isEqualTo(1);
        assertThat(holder.client.fairShareBytes()).isEqualTo(BUDGET / 8 / 3 / 2);
    }
}
