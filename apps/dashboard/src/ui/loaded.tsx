import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { i18n } from '../i18n.ts'

interface LoadedProps<T> {
  readonly of: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}

/** Renders what was read. If a later read fails, the old data stays, marked as old. */
export function Loaded<T>({ of: { data, error, refetch }, children }: LoadedProps<T>) {
  if (data === undefined) {
    if (error !== null) return <ErrorPanel fault={error} again={() => void refetch()} />
    return (
      <p className="loading" role="status">
        {i18n.t('Loading…')}
      </p>
    )
  }
  return (
    <>
      {error !== null && (
        <p className="stale" role="status">
          {i18n.t('This may be out of date: {reason}', { reason: error.message })}
        </p>
      )}
      {children(data)}
    </>
  )
}

/** The same for a whole screen, which shows its title while nothing is loaded. */
export const LoadedPage = <T,>({ title, of, children }: LoadedProps<T> & { readonly title: string }) =>
  of.data === undefined ? (
    <Page title={title}>
      <Loaded of={of}>{() => null}</Loaded>
    </Page>
  ) : (
    <Loaded of={of}>{children}</Loaded>
  )
