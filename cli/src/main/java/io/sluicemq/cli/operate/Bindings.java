package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;

/** Where the API has the bindings between two. Stateless. */
final class Bindings {

    private Bindings() {}

    static String path(Api api, String source, String destination, boolean toExchange) {
        return Api.path(
                "bindings", api.virtualHost(), "e", source.isEmpty() ? "amq.default" : source, toExchange ? "e" : "q",
                destination);
    }
}
