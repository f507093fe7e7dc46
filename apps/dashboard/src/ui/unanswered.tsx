import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { i18n } from '../i18n.ts'
import { writtenAmount } from '../search.ts'
import { useMember } from '../member.tsx'
import { UNANSWERED } from '../queries.ts'
import {
  type Form,
  readUnanswered,
  readDraft,
  type Sent,
  type Subject,
  writeUnanswered,
  writeDraft,
} from '../unanswered-changes.ts'
import { endOf } from '../wire/api-error.ts'
import type { ChangeProps } from './change-button.tsx'
import { Time } from './time.tsx'
import { wordOf } from './words.ts'

/**
 * The changes of one kind and object that were sent and not answered. They outlive their dialog, a reload and the
 * session, so that the same terms are never sent under a second key.
 */
export function useUnanswered(props: ChangeProps) {
  const client = useQueryClient()
  const { subject: member } = useMember()
  const subject = subjectOf(props)
  const place = [...UNANSWERED, member, ...subject]
  const all = () => client.getQueryData<readonly Sent[]>(place) ?? readUnanswered(member, subject)
  const find = (form: Form) => all().find((sent) => isSame(sent.form, form))
  const keep = (form: Form, ...sent: readonly Sent[]) => {
    const kept = [...all().filter((other) => !isSame(other.form, form)), ...sent]
    client.setQueryData(place, kept)
    writeUnanswered(member, subject, kept)
  }
  return {
    newest: all().at(-1)?.form,
    /** Whether other terms than these may have been made, and these were not sent yet. */
    isOther: (form: Form) => all().length > 0 && find(form) === undefined,
    /** Whether these terms may have been made. */
    isLost: (form: Form) => find(form)?.isLost === true,
    /** The key of a change that is about to be sent. The same terms keep theirs. */
    keyOf: (form: Form): string => {
      const sent = find(form) ?? { key: crypto.randomUUID(), form, isLost: false }
      keep(form, sent)
      return sent.key
    },
    succeeded: (form: Form) => keep(form),
    failed: (form: Form, fault: unknown) => {
      const sent = find(form)
      const end = endOf(fault)
      if (sent === undefined) return
      if (end === 'unknown') keep(form, { ...sent, isLost: true })
      else if (end === 'refused' || !sent.isLost) keep(form)
    },
  }
}

const subjectOf = ({ change, id, values = {} }: ChangeProps): Subject => [change, id, values]

/** The inputs of a change that was not made because its member has to sign in. */
export function useDraft(props: ChangeProps) {
  const { subject: member } = useMember()
  const subject = subjectOf(props)
  return {
    read: () => readDraft(member, subject),
    write: (inputs: Form | null) => writeDraft(member, subject, inputs),
  }
}

const isSame = (one: Form, other: Form): boolean => JSON.stringify(one) === JSON.stringify(other)

interface UnansweredProps {
  readonly of: ChangeProps
  readonly form: Form
  readonly again: () => void
  /** Sends the other terms too, of which the note then warns. */
  readonly sendBoth: (() => void) | undefined
}

/** The terms that may have been sent, and a way to send them again under their key. */
export const Unanswered = ({ of, form, again, sendBoth }: UnansweredProps) => (
  <div className="note" role="alert">
    {sendBoth ? (
      <>
        <p>
          {i18n.t(
            'This differs from what was sent before, shown below, which may have been done. If you send this as well, both can be done.',
          )}
        </p>
        {/* The warning moves what is below it, so that the second click of a double click may meet this button. */}
        <button type="button" onClick={({ detail }) => detail < 2 && sendBoth()}>
          {i18n.t('Send this as well')}
        </button>
      </>
    ) : (
      <p>{i18n.t('This was sent before, and no answer came. It may have been done.')}</p>
    )}
    <dl className="facts">
      {termsOf(of, form).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <button type="button" onClick={again}>
      {i18n.t('Send the same again')}
    </button>
    <p className="hint">{i18n.t('Sent again, it is not done twice.')}</p>
  </div>
)

type Term = readonly [label: string, value: ReactNode]

function termsOf({ fields = [], choice }: ChangeProps, form: Form): readonly Term[] {
  const given = fields.flatMap(({ name, label, isInstant, amountIn }): readonly Term[] => {
    const value = form[name]
    if (value === undefined) return []
    if (isInstant === true) return [[label, <Time key={name} at={Number(value)} />]]
    return [[label, amountIn === undefined ? value : writtenAmount(Number(value), amountIn)]]
  })
  const chosen = choice && form[choice.name]
  return [
    ...(choice && chosen !== undefined ? [[choice.label, wordOf(chosen)] as const] : []),
    ...given,
    [i18n.t('Reason'), form['reason']],
  ]
}
