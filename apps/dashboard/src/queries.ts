import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import { type ReadParams, read } from './wire/client.ts'
import { Fault, isTransient } from './wire/fault.ts'
import type { Answer, ReadName } from './wire/operations.ts'

const RETRIES_MAX = 2
export const ME = ['me'] as const
/** The changes that were sent and not answered. No screen shows them before their member signs in again. */
export const UNANSWERED = ['unanswered'] as const

/** Any 401 clears all data that a screen shows, so none outlives its session. */
export function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof Fault && error.kind === 'signed_out') forget(client)
  }
  const onChangeError = (error: unknown) => {
    onError(error)
    // Another tab may have signed in again with another CSRF token, or the role may have changed.
    if (error instanceof Fault && error.kind === 'forbidden') void client.invalidateQueries({ queryKey: ME })
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError: onChangeError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < RETRIES_MAX && isTransient(error),
        // navigator.onLine is often wrong, so the request is sent anyway.
        networkMode: 'always',
        staleTime: 2_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  client.setQueryDefaults(UNANSWERED, { gcTime: Number.POSITIVE_INFINITY })
  return client
}

export function forget(client: QueryClient): void {
  client.setQueryData(ME, null)
  const kept: readonly unknown[] = [...ME, ...UNANSWERED]
  client.removeQueries({ predicate: ({ queryKey: [name] }) => !kept.includes(name) })
}

interface ReadOptions {
  /** The refresh interval while somebody uses the page. */
  readonly everyMs?: number
  /** Shows the last page until the next one has loaded. */
  readonly isPaged?: boolean
  readonly isWanted?: boolean
}

export const useRead = <Name extends ReadName>(
  name: Name,
  params: ReadParams = {},
  { everyMs, isPaged = false, isWanted = true }: ReadOptions = {},
): UseQueryResult<Answer<Name>> =>
  useQuery<Answer<Name>>({
    queryKey: [name, params.id ?? null, params.query ?? null],
    queryFn: ({ signal }) => read(name, params, signal),
    refetchInterval: everyMs ?? false,
    enabled: isWanted,
    ...(isPaged && { placeholderData: keepPreviousData }),
  })
