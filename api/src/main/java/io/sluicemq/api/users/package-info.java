/** Who may log in, and what they may do, as an administrator sees and changes it. */
package io.sluicemq.api.users;
