import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { useMember } from '../member.tsx'
import { forget, heedPost, removeOthersData } from '../queries.ts'
import { signOut } from '../wire/client.ts'
import { Keys, KeysButton } from './keys.tsx'
import { Lookup } from './lookup.tsx'
import { wordOf } from './words.ts'
import { useToast } from './toast.tsx'
import { i18n, type Language, language, languages } from '../i18n.ts'
import { choosePreference } from '../preferences.ts'
import { factsOf, ownZone, zoneNames } from '../zone.ts'

const places = [
  {
    title: i18n.t('Money'),
    links: [
      { to: '/', text: i18n.t('Overview') },
      { to: '/attention', search: { status: 'waiting' }, text: i18n.t('Needs attention') },
      { to: '/payments', text: i18n.t('Payments') },
      { to: '/charges', text: i18n.t('Charges') },
      { to: '/refunds', text: i18n.t('Refunds') },
      { to: '/approvals', text: i18n.t('Approvals') },
      { to: '/invoices', text: i18n.t('Invoices') },
      { to: '/customers', text: i18n.t('Customers') },
      { to: '/analytics', text: i18n.t('Analytics') },
      { to: '/finance', text: i18n.t('Finance') },
      { to: '/reconciliation', text: i18n.t('Reconciliation') },
    ],
  },
  {
    title: i18n.t('Webhooks'),
    links: [
      { to: '/deliveries', text: i18n.t('Deliveries') },
      { to: '/events', text: i18n.t('Events') },
      { to: '/fanouts', text: i18n.t('Fan-outs') },
    ],
  },
  {
    title: i18n.t('Deployment'),
    links: [
      { to: '/merchants', text: i18n.t('Merchants') },
      { to: '/rails', text: i18n.t('Rails') },
      { to: '/bulk-jobs', text: i18n.t('Bulk actions') },
      { to: '/audit-log', text: i18n.t('Audit log') },
    ],
  },
] as const

/** The navigation and the frame of every screen. On a narrow screen a button opens the navigation. */
export function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const keys = useRef<HTMLDialogElement>(null)
  const [seen, setSeen] = useState(pathname)
  // The navigation closes by itself on another screen.
  if (seen !== pathname) {
    setSeen(pathname)
    setOpen(false)
  }
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {i18n.t('Skip to the content')}
      </a>
      <aside className={isOpen ? 'open' : undefined}>
        <p className="brand">{i18n.t('Merchant Payments')}</p>
        <Mode />
        <Lookup />
        <button
          type="button"
          className="menu"
          aria-expanded={isOpen}
          aria-controls="screens"
          onClick={() => setOpen(!isOpen)}
        >
          {i18n.t('Menu')}
        </button>
        <nav id="screens" aria-label={i18n.t('Screens')}>
          {places.map(({ title, links }) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {links.map(({ to, text, ...link }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      search={'search' in link ? link.search : {}}
                      activeOptions={{ exact: to === '/', includeSearch: false }}
                    >
                      {text}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <Settings />
        <WhoAmI>
          <KeysButton dialog={keys} />
        </WhoAmI>
      </aside>
      <Keys dialog={keys} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Whether real money moves here, so that nobody takes one deployment for the other. */
function Mode() {
  const { livemode } = useMember()
  return (
    <p className={livemode ? 'mode live' : 'mode'}>
      {livemode ? i18n.t('Live: real money') : i18n.t('Test mode')}
    </p>
  )
}

/** The language, and the zone of times and of filters by time. */
function Settings() {
  return (
    <div className="settings">
      <select
        aria-label={i18n.t('Language')}
        value={language}
        onChange={({ target }) => choosePreference('language', target.value)}
      >
        {languages.map((one) => (
          <option key={one} value={one}>
            {nameOf[one]}
          </option>
        ))}
      </select>
      <select
        aria-label={i18n.t('Times in')}
        value={ownZone}
        onChange={({ target }) => choosePreference('zone', target.value)}
      >
        {zoneNames.map((one) => (
          <option key={one} value={one}>
            {i18n.t('Times: {zone}', { zone: factsOf(one).name })}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Each language in its own words. */
const nameOf: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français' }

function WhoAmI({ children }: { children: ReactNode }) {
  const { name, role, csrf_token: csrfToken } = useMember()
  const client = useQueryClient()
  const toast = useToast()
  const leave = async () => {
    try {
      const { redirect_to: provider } = await signOut(csrfToken)
      removeOthersData(client, null)
      forget(client)
      if (provider !== null) location.assign(provider)
    } catch (error) {
      heedPost(client, error)
      toast(error instanceof Error ? error.message : i18n.t('You are still signed in.'))
    }
  }
  return (
    <div className="who">
      <p>
        <b>{name}</b>
        <span className="quiet">{wordOf(role)}</span>
      </p>
      <span>
        <button type="button" className="plain" onClick={() => void leave()}>
          {i18n.t('Sign out')}
        </button>
        {children}
      </span>
    </div>
  )
}
