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

/** What the tab keeps of a change: requests without an answer, or the inputs of one that waits for a new sign-in. */
const kinds = ['unanswered', 'unmade'] as const

const prefixOf = (kind: (typeof kinds)[number], member: string): string =>
  `${kind}.${encodeURIComponent(member)}.`

const nameOf = (kind: (typeof kinds)[number], member: string, subject: Subject): string =>
  prefixOf(kind, member) + JSON.stringify(subject)

/** The unanswered changes of a member that an earlier load of this page has left in the tab. */
export function readUnanswered(member: string, subject: Subject): readonly Sent[] {
  const all = (read(nameOf('unanswered', member, subject)) ?? []) as readonly Sent[]
  // The page has gone before an answer came.
  return all.map((sent) => ({ ...sent, isLost: true }))
}

export const writeUnanswered = (member: string, subject: Subject, all: readonly Sent[]): void =>
  write(nameOf('unanswered', member, subject), all.length === 0 ? null : all)

/** The inputs of a change that the API did not make, because its member had to sign in anew. */
export const readDraft = (member: string, subject: Subject): Form | null =>
  read(nameOf('unmade', member, subject)) as Form | null

export const writeDraft = (member: string, subject: Subject, inputs: Form | null): void =>
  write(nameOf('unmade', member, subject), inputs)

/** Removes what the tab keeps of changes, except what is this member’s. */
export const forgetChanges = (except: string | null): void =>
  inTab((tab) => {
    for (const name of Object.keys(tab)) {
      const isOwn = except !== null && kinds.some((kind) => name.startsWith(prefixOf(kind, except)))
      if (kinds.some((kind) => name.startsWith(`${kind}.`)) && !isOwn) tab.removeItem(name)
    }
  }, undefined)

function read(name: string): unknown {
  const text = inTab((tab) => tab.getItem(name), null)
  return text === null ? null : JSON.parse(text)
}

const write = (name: string, value: unknown): void =>
  inTab((tab) => {
    if (value === null) tab.removeItem(name)
    else tab.setItem(name, JSON.stringify(value))
  }, undefined)

/** A browser that stores nothing keeps them as long as the page. */
function inTab<T>(use: (tab: Storage) => T, otherwise: T): T {
  try {
    return use(sessionStorage)
  } catch {
    return otherwise
  }
}
