import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { Trouble } from './trouble.tsx'

interface LoadedProps<T> {
  readonly of: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}

/** What was read. While a later read fails, what is known stays, and says that it is old. */
export function Loaded<T>({ of: { data, error, refetch }, children }: LoadedProps<T>) {
  if (data === undefined) {
    if (error !== null) return <Trouble fault={error} again={() => void refetch()} />
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    )
  }
  return (
    <>
      {error !== null && (
        <p className="stale" role="status">
          This may be out of date: {error.message}
        </p>
      )}
      {children(data)}
    </>
  )
}

/** The same of a whole screen, which needs its title while there is nothing else to show. */
export const LoadedPage = <T,>({ title, of, children }: LoadedProps<T> & { readonly title: string }) =>
  of.data === undefined ? (
    <Page title={title}>
      <Loaded of={of}>{() => null}</Loaded>
    </Page>
  ) : (
    <Loaded of={of}>{children}</Loaded>
  )
