package io.sluicemq.protocol.amqp10.codec;

import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Performative;

/** Performatives that say less of an error, so that they fit into the smallest frame a peer may ask for. Pure. */
public final class Shortened {

    private static final int MOST_CHARACTERS = 80;

    private Shortened() {}

    /** The same with a shorter error; null if there is none in it. */
    public static Performative of(Performative performative) {
        return switch (performative) {
            case Close close -> new Close().setError(shorter(close.getError()));
            case End end -> new End().setError(shorter(end.getError()));
            case Detach detach -> new Detach()
                    .setHandle(detach.getHandle())
                    .setClosed(detach.getClosed())
                    .setError(shorter(detach.getError()));
            case Disposition disposition when disposition.getState() instanceof Rejected rejected ->
                disposition.copy().setState(new Rejected().setError(shorter(rejected.getError())));
            default -> null;
        };
    }

    private static ErrorCondition shorter(ErrorCondition error) {
        if (error == null) {
            return null;
        }
        String description = error.getDescription();
        if (description != null && description.length() > MOST_CHARACTERS) {
            description = description.substring(0, MOST_CHARACTERS) + '…';
        }
        return new ErrorCondition(error.getCondition(), description);
    }
}
