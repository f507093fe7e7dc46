import type { ChangeName } from './wire/operations.ts'

export type Form = Readonly<Record<string, string>>

/** A change that was sent and has no answer yet. */
export interface Sent {
  readonly key: string
  readonly form: Form
  /** Its request ended without an answer, so that it may have been made. */
  readonly isLost: boolean
}

/** What a change is made of: its kind, its object, and what is sent besides the inputs. */
export type Subject = readonly [change: ChangeName, id: string, values: Form]

const PREFIX = 'unanswered.'

const nameOf = (member: string, subject: Subject): string =>
  `${PREFIX}${encodeURIComponent(member)}.${JSON.stringify(subject)}`

/** The unanswered changes of a member that an earlier load of this page has left in the tab. */
export function readUnanswered(member: string, subject: Subject): readonly Sent[] {
  const text = inTab((tab) => tab.getItem(nameOf(member, subject)), null)
  if (text === null) return []
  // The page has gone before an answer came.
  return (JSON.parse(text) as readonly Sent[]).map((sent) => ({ ...sent, isLost: true }))
}

export const writeUnanswered = (member: string, subject: Subject, all: readonly Sent[]): void =>
  inTab((tab) => {
    if (all.length === 0) tab.removeItem(nameOf(member, subject))
    else tab.setItem(nameOf(member, subject), JSON.stringify(all))
  }, undefined)

/** Removes what the tab keeps, except what is this member’s. */
export const forgetUnanswered = (except: string | null): void =>
  inTab((tab) => {
    for (const name of Object.keys(tab)) {
      const isOwn = except !== null && name.startsWith(`${PREFIX}${encodeURIComponent(except)}.`)
      if (name.startsWith(PREFIX) && !isOwn) tab.removeItem(name)
    }
  }, undefined)

/** A browser that stores nothing keeps them as long as the page. */
function inTab<T>(use: (tab: Storage) => T, otherwise: T): T {
  try {
    return use(sessionStorage)
  } catch {
    return otherwise
  }
}
