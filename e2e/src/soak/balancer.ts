import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'

const HOST = '127.0.0.1'
const HAPROXY = 'haproxy'
const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url))

export interface BalancerPorts {
  /** Without TLS, because the shop and the mock rails have no use for it here. */
  readonly plain: number
  readonly tls: number
  /** Where haproxy offers the database. The processes choose the primary themselves and do not use it. */
  readonly database: number
  readonly apis: readonly [Api, Api]
  readonly postgres: readonly [number, number]
}

interface Api {
  readonly api: number
  readonly apiInternal: number
}

export interface Balancer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts haproxy with the deployment's own configuration, and a frontend without TLS before the same apis. */
export async function startBalancer(folder: string, ports: BalancerPorts): Promise<Balancer> {
  requireProgram(HAPROXY)
  requireProgram('openssl')
  const plain = join(folder, 'plain.cfg')
  await writeFile(
    plain,
    `frontend plain\n    mode http\n    bind ${HOST}:${ports.plain}\n    timeout http-request 15s\n    default_backend apis\n`,
  )
  const [a, b] = ports.apis
  const child = spawn(HAPROXY, ['-db', '-q', '-f', CONFIG, '-f', plain], {
    env: {
      PATH: process.env['PATH'],
      BIND: `${HOST}:${ports.tls}`,
      CERTIFICATE: await makeCertificate(folder),
      DATABASE: `${HOST}:${ports.database}`,
      API_A: `${HOST}:${a.api}`,
      API_A_READY: `${HOST}:${a.apiInternal}`,
      API_B: `${HOST}:${b.api}`,
      API_B_READY: `${HOST}:${b.apiInternal}`,
      POSTGRES_A: `${HOST}:${ports.postgres[0]}`,
      POSTGRES_B: `${HOST}:${ports.postgres[1]}`,
      STATS: join(folder, 'haproxy.sock'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  return {
    url: `http://${HOST}:${ports.plain}`,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A self-signed certificate with its key, in one file. */
async function makeCertificate(folder: string): Promise<string> {
  const [certificate, key, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-nodes',
    ...subject,
    '-keyout',
    key,
    '-out',
    certificate,
  ])
  await writeFile(both, (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')))
  return both
}
