import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import { type Asked, read } from './wire/client.ts'
import { Fault, isPassing } from './wire/fault.ts'
import type { Answer, ReadName } from './wire/operations.ts'

const RETRIES_MAX = 2
export const ME = ['me'] as const

/** Whatever asks and hears that nobody is signed in ends what is shown: none of it outlives its session. */
export function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof Fault && error.kind === 'signed_out') forget(client)
  }
  const onChangeError = (error: unknown) => {
    onError(error)
    // Another tab may have signed in anew, whose changes carry another token, or the role may have changed.
    if (error instanceof Fault && error.kind === 'forbidden') void client.invalidateQueries({ queryKey: ME })
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError: onChangeError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
        // A browser that believes itself offline is often wrong: the request tells.
        networkMode: 'always',
        staleTime: 2_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

export function forget(client: QueryClient): void {
  client.setQueryData(ME, null)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] })
}

interface Manner {
  /** Asked again so often, while somebody is there. */
  readonly everyMs?: number
  /** Keeps the last page on the screen until the next one is there. */
  readonly isPaged?: boolean
  readonly isWanted?: boolean
}

export const useRead = <Name extends ReadName>(
  name: Name,
  asked: Asked = {},
  { everyMs, isPaged = false, isWanted = true }: Manner = {},
): UseQueryResult<Answer<Name>> =>
  useQuery<Answer<Name>>({
    queryKey: [name, asked.id ?? null, asked.query ?? null],
    queryFn: ({ signal }) => read(name, asked, signal),
    refetchInterval: everyMs ?? false,
    enabled: isWanted,
    ...(isPaged && { placeholderData: keepPreviousData }),
  })
