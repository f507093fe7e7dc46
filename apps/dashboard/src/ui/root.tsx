import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { MemberProvider, useSignedIn } from '../member.tsx'
import { ToastProvider } from './toast.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { i18n } from '../i18n.ts'
import { Fault } from '../wire/fault.ts'

/** The dashboard if somebody is signed in, otherwise the sign-in page. */
export function Root() {
  const { data: member, error, refetch } = useSignedIn()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (member && !wasSignedIn) setWasSignedIn(true)
  if (member) {
    return (
      <MemberProvider value={member}>
        <ToastProvider>
          <Shell>
            <Outlet />
          </Shell>
        </ToastProvider>
      </MemberProvider>
    )
  }
  if (member === null) return <SignIn wasSignedIn={wasSignedIn} />
  return (
    <main className="alone" aria-busy={error === null}>
      <h1 className="unseen">{i18n.t('Merchant Payments')}</h1>
      {error && <ErrorPanel fault={error} again={() => void refetch()} signIn={isRoleless(error)} />}
    </main>
  )
}

/** The session stays, but its account has no role any more. Another account may have one. */
const isRoleless = (error: Error): boolean => error instanceof Fault && error.kind === 'forbidden'
