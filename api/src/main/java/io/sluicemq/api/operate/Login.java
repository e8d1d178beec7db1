package io.sluicemq.api.operate;

import io.sluicemq.api.Principal;

/** A user who has proved who they are, as an operator. */
public record Login(Principal user, Role role) {}
