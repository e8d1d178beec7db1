/**
 * The broker that protocols talk to: virtual hosts, clients, and the ways between loops. A request runs from its client's
 * loop to the owner of what it asks for and back:
 *
 * <pre>
 *   client's loop                    topology's loop                  queue's loop
 *   ConnectedClient  --declare-->    Topology (single writer)  -----> Queue
 *        ^                               | publishes RoutingTable       |
 *        '-------- reply ----------------'------------------------------'
 *   ConnectedClient  --publish, by the published table--------------> QueueProxy, Queue
 *   ConsumerSink     <--QueueEntry----------------------------------- Queue
 *   Delivery.settle  --QueueEntry-----------------------------------> Queue
 * </pre>
 */
package io.sluicemq.broker.engine;
