/**
 * What every other module stands on: {@link io.sluicemq.base.Loop loops} and the batches between them, {@link
 * io.sluicemq.base.Published published snapshots}, and options as data. It knows no protocol, queue or socket.
 */
package io.sluicemq.base;
