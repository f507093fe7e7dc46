import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { pidFilePath, readPidFile } from './pid-file.ts'

// A server whose parent was killed gets the time that its own shutdown may take.
const SHUTDOWN_TIMEOUT_MS = 30_000
const STALE_AFTER_MS = 1_000
const POLL_MS = 100

/** Waits for a server that is shutting down in this folder, and removes the lock of one that is gone. */
export async function untilUnused(cluster: string, log: (line: string) => void): Promise<void> {
  let isTold = false
  const shutdown = AbortSignal.timeout(SHUTDOWN_TIMEOUT_MS)
  const stale = AbortSignal.timeout(STALE_AFTER_MS)
  for (;;) {
    const lock = await readPidFile(cluster)
    if (lock === undefined || !isAlive(lock.pid)) return
    const serves = await accepts(lock.port)
    if (!serves && stale.aborted) break
    if (shutdown.aborted) {
      throw new Error(`PostgreSQL already runs in ${cluster}: process ${lock.pid}, port ${lock.port}`)
    }
    if (!isTold) log(`waiting for process ${lock.pid}, which holds ${cluster}`)
    isTold = true
    await delay(POLL_MS)
  }
  // After a crash, another process can have the same process id. If it were a server after all, the next
  // start would find this folder's shared memory in use and fail.
  await rm(pidFilePath(cluster), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
