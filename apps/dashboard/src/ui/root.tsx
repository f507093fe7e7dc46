import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { isRoleless, MemberProvider, useSignedIn } from '../member.tsx'
import { ToastProvider } from './toast.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { i18n } from '../i18n.ts'

/** The dashboard if somebody is signed in, otherwise the sign-in page. */
export function Root() {
  const { data: member, error, refetch } = useSignedIn()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (member && !wasSignedIn) setWasSignedIn(true)
  const isAllowed = !isRoleless(error)
  if (member && isAllowed) {
    return (
      // Another member gets a new screen, without a text or a dialog of the one before.
      <MemberProvider key={member.subject} value={member}>
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
      {error && <ErrorPanel fault={error} again={() => void refetch()} signIn={!isAllowed} />}
    </main>
  )
}
