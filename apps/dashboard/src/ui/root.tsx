import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { MemberProvider, useSignedIn } from '../member.tsx'
import { Sayer } from './say.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { Trouble } from './trouble.tsx'

/** The dashboard, for somebody who is signed in; for anybody else, the way in. */
export function Root() {
  const { data: member, error, refetch } = useSignedIn()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (member && !wasSignedIn) setWasSignedIn(true)
  if (member) {
    return (
      <MemberProvider value={member}>
        <Sayer>
          <Shell>
            <Outlet />
          </Shell>
        </Sayer>
      </MemberProvider>
    )
  }
  if (member === null) return <SignIn wasSignedIn={wasSignedIn} />
  return (
    <main className="alone" aria-busy={error === null}>
      <h1 className="unseen">Merchant Payments</h1>
      {error && <Trouble fault={error} again={() => void refetch()} />}
    </main>
  )
}
