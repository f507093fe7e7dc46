import type { ActivityEntry, AttentionAlert, AuditAction } from '@merchant-payments/contract'
import type { ReactNode } from 'react'
import { Money } from './money.tsx'
import { ObjectLink } from './object-link.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'
import { Timeline } from './timeline.tsx'
import { actionOf, alertOf, invoiceWordOf, wordOf } from './words.ts'
import { i18n } from '../i18n.ts'

interface ActivityProps {
  readonly entries: readonly ActivityEntry[]
  readonly children?: ReactNode
}

/** Objects and changes in one order, newest first. */
export const Activity = ({ entries, children }: ActivityProps) => (
  <Timeline
    steps={entries.map((entry, index) => ({
      key: `${entry.id}${entry.text}${index}`,
      at: entry.at,
      source: entry.source,
      text: <Text of={entry} />,
      link: (
        <ObjectLink id={entry.id} {...(entry.payment_intent !== null && { payment: entry.payment_intent })} />
      ),
    }))}
  >
    {children}
  </Timeline>
)

function Text({ of: { source, text, about, amount, currency } }: { of: ActivityEntry }) {
  const name = about ?? ''
  if (source === 'staff') {
    return (
      <>
        {actionOf(text as AuditAction)} <span className="quiet">· {name}</span>
      </>
    )
  }
  if (source === 'alert') {
    const alert = alertOf(name as AttentionAlert)
    return text === 'raised' ? alert : i18n.t('Resolved: {alert}', { alert })
  }
  if (source === 'statement') {
    return i18n.t('Statement of {day}: {state}', { day: name, state: wordOf(text) })
  }
  return (
    <>
      {amount !== null && currency !== null && <Money amount={amount} currency={currency} />}{' '}
      <Status of={text} textOf={source === 'invoice' ? invoiceWordOf : wordOf} />
    </>
  )
}

/** Where the entries end. */
export const OlderElsewhere = ({ since }: { since: number }) => (
  <p className="quiet">
    {i18n.t('Older objects are in their lists. This is complete since')} <Time at={since} />
  </p>
)
