// Ends once the server that systemd has started is ready. systemd names its process in MAINPID, and the unit its probe in
// READY_URL. So `systemctl restart` returns when the next process may stop.
import { setTimeout as delay } from 'node:timers/promises'

const { MAINPID: pid, READY_URL: url = '' } = process.env
/** systemd itself waits 90 s. A database that is away takes longer, and the server then goes on by itself. */
const WAIT_MS = 60_000
const PROBE_TIMEOUT_MS = 2_000
const POLL_MS = 100

function lives(): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

const isReady = () =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    ({ status }) => status === 200,
    () => false,
  )

const untilMs = performance.now() + WAIT_MS
while (!(await isReady())) {
  if (!lives() || performance.now() > untilMs) {
    console.error(`${url} did not say that the server is ready`)
    process.exit(1)
  }
  await delay(POLL_MS)
}
