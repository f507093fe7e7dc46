/** TCP keep-alive, on this side and the server's, finds an idle connection whose peer is gone. */
export const KEEP_ALIVE_AFTER_MS = 10_000
const SERVER_KEEP_ALIVE_IDLE_SEC = 10
const SERVER_KEEP_ALIVE_EVERY_SEC = 5
const SERVER_KEEP_ALIVE_PROBES = 3
/** The server ends a session whose client acknowledges nothing for this long. This releases its locks. */
const SERVER_TCP_USER_TIMEOUT_MS = 20_000

/** The server's side. */
export const tcpSettings = [
  `tcp_keepalives_idle=${SERVER_KEEP_ALIVE_IDLE_SEC}`,
  `tcp_keepalives_interval=${SERVER_KEEP_ALIVE_EVERY_SEC}`,
  `tcp_keepalives_count=${SERVER_KEEP_ALIVE_PROBES}`,
  `tcp_user_timeout=${SERVER_TCP_USER_TIMEOUT_MS}`,
]

/** Settings for the `options` of a connection. */
export const optionsOf = (settings: readonly string[]): string =>
  settings.map((setting) => `-c ${setting}`).join(' ')

/** A session that rests in a transaction for longer is ended. This releases its locks too if its peer is alive. */
export const IDLE_IN_TRANSACTION_MS = 15_000
