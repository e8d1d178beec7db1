package io.sluicemq.architecture.samples.core;

import io.netty.channel.Channel;

/** Knows a channel. */
record Channels(Channel channel) {}
