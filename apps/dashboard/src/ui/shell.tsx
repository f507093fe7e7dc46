import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useMember } from '../member.tsx'
import { forget } from '../queries.ts'
import { signOut } from '../wire/client.ts'
import { Lookup } from './lookup.tsx'
import { useToast } from './toast.tsx'

const places = [
  {
    title: 'Money',
    links: [
      { to: '/', text: 'Overview' },
      { to: '/payments', text: 'Payments' },
      { to: '/charges', text: 'Charges' },
      { to: '/refunds', text: 'Refunds' },
      { to: '/approvals', text: 'Approvals' },
      { to: '/invoices', text: 'Invoices' },
      { to: '/customers', text: 'Customers' },
    ],
  },
  {
    title: 'Webhooks',
    links: [
      { to: '/deliveries', text: 'Deliveries' },
      { to: '/fanouts', text: 'Fan-outs' },
    ],
  },
  {
    title: 'Deployment',
    links: [
      { to: '/merchants', text: 'Merchants' },
      { to: '/rails', text: 'Rails' },
      { to: '/audit-log', text: 'Audit log' },
    ],
  },
] as const

/** The navigation and the frame of every screen. On a narrow screen a button opens the navigation. */
export function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  // The navigation closes by itself on another screen.
  const [openAt, setOpenAt] = useState<string | null>(null)
  const isOpen = openAt === pathname
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <aside className={isOpen ? 'open' : undefined}>
        <p className="brand">Merchant Payments</p>
        <Lookup />
        <button
          type="button"
          className="menu"
          aria-expanded={isOpen}
          aria-controls="screens"
          onClick={() => setOpenAt(isOpen ? null : pathname)}
        >
          Menu
        </button>
        <nav id="screens" aria-label="Screens">
          {places.map(({ title, links }) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {links.map(({ to, text }) => (
                  <li key={to}>
                    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                      {text}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <WhoAmI />
      </aside>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function WhoAmI() {
  const { name, role, csrf_token: csrfToken } = useMember()
  const client = useQueryClient()
  const toast = useToast()
  const leave = async () => {
    try {
      const { redirect_to: provider } = await signOut(csrfToken)
      if (provider === null) forget(client)
      else location.assign(provider)
    } catch (error) {
      toast(error instanceof Error ? error.message : 'You are still signed in.')
    }
  }
  return (
    <div className="who">
      <p>
        <b>{name}</b>
        <span className="quiet">{role}</span>
      </p>
      <button type="button" className="plain" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  )
}
