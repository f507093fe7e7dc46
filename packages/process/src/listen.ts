import { once } from 'node:events'
import type { Server } from 'node:http'

/** Resolves once the server listens. Rejects with the error of the system, such as EADDRINUSE. */
export async function listen(
  server: Server,
  at: { readonly host: string; readonly port: number } | undefined,
): Promise<void> {
  if (at === undefined) return
  server.listen(at.port, at.host)
  await once(server, 'listening')
}
