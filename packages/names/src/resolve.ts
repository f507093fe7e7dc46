import { Resolver } from 'node:dns/promises'
import { failure } from './failure.ts'
import { readHostsFile } from './hosts-file.ts'

/** Time in ms for one try at one name server. It doubles once each of them was tried. */
const FIRST_TRY_MS = 1_000
const TRIES = 3

/** Time in ms for a name, whatever the name servers do: shorter than the time for a connection (spec 6.3.7). */
const LIMIT_MS = 4_000

/** Time in ms that the other family has once one has answered. Some name servers drop questions for IPv6 addresses. */
const OTHER_FAMILY_MS = 200

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * Rejects with `ENOTFOUND` if the name server answered that there is no such name, and with `EAI_AGAIN` if it
 * gave no such answer. These are the codes of getaddrinfo.
 */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>

export interface ResolveOptions {
  /** Fallback for names that the name server does not have, such as names of a search domain. Default: none. */
  readonly system?: Resolve
  /** Default: those of /etc/resolv.conf. */
  readonly servers?: readonly string[]
  readonly limitMs?: number
}

/** Resolves names as getaddrinfo does, but waits for name servers without a thread (docs/decisions/0039). */
export function createResolve({ system, servers, limitMs = LIMIT_MS }: ResolveOptions = {}): Resolve {
  return async (host, signal) => {
    const listed = await readHostsFile(host)
    if (listed.length > 0) return listed
    // A name without a dot needs a search domain, which c-ares does not add.
    const answered = host.includes('.') ? await askNameServers(host, { servers, limitMs, signal }) : []
    if (answered.length > 0) return answered
    if (system === undefined) throw failure('ENOTFOUND', host)
    return system(host, signal)
  }
}

interface Question {
  readonly servers: readonly string[] | undefined
  readonly limitMs: number
  readonly signal: AbortSignal | undefined
}

/** Returns nothing if there is no such name. */
async function askNameServers(
  host: string,
  { servers, limitMs, signal }: Question,
): Promise<readonly ResolvedAddress[]> {
  if (signal?.aborted === true) throw failure('EAI_AGAIN', host)
  // A resolver for each call can be cancelled alone, reads the present resolv.conf, and asks from new ports.
  const resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  let timer = setTimeout(cancel, limitMs)
  signal?.addEventListener('abort', cancel)
  const questions = [resolver.resolve4(host), resolver.resolve6(host)]
  const hurry = () => {
    clearTimeout(timer)
    timer = setTimeout(cancel, OTHER_FAMILY_MS)
  }
  void Promise.any(questions).then(hurry, () => undefined)
  try {
    const answers = await Promise.allSettled(questions)
    const found = answers.flatMap((answer, n) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: n === 0 ? 4 : 6 }))
        : [],
    )
    if (found.length === 0 && !answers.every(deniesName)) throw failure('EAI_AGAIN', host)
    return found
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/** EBADNAME is a text that cannot be a name. */
const deniesName = (answer: PromiseSettledResult<unknown>): boolean =>
  answer.status === 'rejected' && /^(ENOTFOUND|ENODATA|EBADNAME)$/.test(answer.reason.code)
