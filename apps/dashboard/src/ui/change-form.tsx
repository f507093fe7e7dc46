import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { useMember } from '../member.tsx'
import { ME } from '../queries.ts'
import { change as sendChange } from '../wire/client.ts'
import { hasChanged, needsSignIn } from '../wire/api-error.ts'
import { amountOf, secondsAt } from '../search.ts'
import { REASON_CHARS_MAX } from '../wire/operations.ts'
import type { ChangeProps } from './change-button.tsx'
import { useToast } from './toast.tsx'
import { ErrorPanel, reasonOf } from './error-panel.tsx'
import { Unanswered, useUnanswered, useDraft } from './unanswered.tsx'
import type { Form } from '../unanswered-changes.ts'
import { wordOf } from './words.ts'
import { i18n } from '../i18n.ts'
import { ownZone } from '../zone.ts'

interface ChangeFormProps extends ChangeProps {
  /** The change as it is now, if its object has changed since the dialog showed it. */
  readonly newer: ChangeProps | null
  /** Makes the change one of the object as it is now. */
  readonly showNewer: () => void
  readonly close: () => void
}

export function ChangeForm(props: ChangeFormProps) {
  const { id, action, consequence, isTyped = false, choice, fields = [], subject, newer, close } = props
  // The other terms that the staff member was warned of, until they change.
  const [warnedOf, setWarnedOf] = useState<Filled | null>(null)
  const unwarn = () => setWarnedOf(null)
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [])
  const { mutate, isPending, error, unanswered, draft } = useChange(props, () => isOpen(place.current))
  const [written] = useState(draft.read)
  useSessionEnd(place, (form) => {
    const { terms, inputs } = filledIn(form, props)
    if (!isPending && !unanswered.isLost(terms)) draft.write(inputs)
  })
  const send = (filled: Filled) => {
    unwarn()
    mutate(filled, { onSuccess: () => leave(place.current, close) })
  }
  const earlier = isPending ? undefined : unanswered.newest

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending || warnedOf !== null || newer !== null) return
    const filled = filledIn(event.currentTarget, props)
    if (unanswered.isOther(filled.terms)) setWarnedOf(filled)
    else send(filled)
  }
  return (
    <form ref={place} onSubmit={submit} onChange={unwarn} className="change">
      <h2>{action}</h2>
      <p>{subject ?? <code>{id}</code>}</p>
      <div>{consequence}</div>
      {newer && <Newer of={newer} showNewer={props.showNewer} />}
      {written && (
        <p className="note">
          {i18n.t('What you wrote before is here again. It was not done, because it needed a new sign-in.')}
        </p>
      )}
      {choice && <ChoiceInput choice={choice} chosen={written?.[choice.name]} />}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={{ ...field, value: written?.[field.name] ?? field.value ?? '' }}
          filled={unwarn}
        />
      ))}
      <ReasonInput value={written?.['reason']} />
      {isTyped && <TypedInput id={id} />}
      {error && <ErrorPanel fault={error} />}
      {earlier && (
        <Unanswered
          of={props}
          form={earlier}
          sendBoth={warnedOf === null ? undefined : () => send(warnedOf)}
          again={() => send({ terms: earlier, inputs: null })}
        />
      )}
      <Buttons
        of={props}
        isPending={isPending}
        isWarned={warnedOf !== null || newer !== null}
        close={close}
      />
    </form>
  )
}

/** What has changed since the dialog was opened. Nothing is sent before the staff member has looked at it. */
const Newer = ({
  of: { consequence },
  showNewer,
}: {
  readonly of: ChangeProps
  readonly showNewer: () => void
}) => (
  <div className="note" role="alert">
    <p>{i18n.t('This has changed since you opened it. It is now:')}</p>
    <div>{consequence}</div>
    <button type="button" onClick={showNewer}>
      {i18n.t('I have seen it')}
    </button>
  </div>
)

interface Filled {
  /** The form that is sent: the inputs that are not empty, besides what needs no input. */
  readonly terms: Form
  /** The inputs as they are written. Null if the terms are those of an earlier request. */
  readonly inputs: Form | null
}

function filledIn(form: HTMLFormElement, { fields = [], values = {}, seen = {} }: ChangeProps): Filled {
  const inputs = ([...new FormData(form)] as [string, string][]).filter(([name]) => name !== 'typed')
  const given = inputs
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, wireOf(fields, name, value)])
  return { terms: { ...values, ...seen, ...Object.fromEntries(given) }, inputs: Object.fromEntries(inputs) }
}

interface ButtonsProps {
  readonly of: ChangeProps
  readonly isPending: boolean
  /** The warning has a button of its own, so that no double click goes past it. */
  readonly isWarned: boolean
  readonly close: () => void
}

const Buttons = ({ of: { change, action, isGrave = false }, isPending, isWarned, close }: ButtonsProps) => (
  <div className="buttons">
    <button type="button" onClick={close}>
      {isPending
        ? i18n.t('Close')
        : change === 'cancelPayment'
          ? i18n.t('Keep the payment')
          : i18n.t('Cancel')}
    </button>
    <button type="submit" className={isGrave ? 'grave main' : 'main'} aria-disabled={isPending || isWarned}>
      {isPending ? i18n.t('Sending…') : action}
    </button>
  </div>
)

/** A refresh may find the end of the session, and so remove an open dialog before its member has sent anything. */
function useSessionEnd(
  place: RefObject<HTMLFormElement | null>,
  keep: (form: HTMLFormElement) => void,
): void {
  const client = useQueryClient()
  const keepTyped = useEffectEvent((form: HTMLFormElement) => {
    if (client.getQueryData(ME) === null && isOpen(form) && isChanged(form)) keep(form)
  })
  useEffect(() => {
    const { current: form } = place
    return () => {
      if (form !== null) keepTyped(form)
    }
  }, [place])
}

/** Whether somebody has typed or chosen something. */
const isChanged = (form: HTMLFormElement): boolean =>
  [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].some(
    (field) =>
      field.value !== field.defaultValue || ('checked' in field && field.checked !== field.defaultChecked),
  )

const isOpen = (form: HTMLFormElement | null): boolean => form?.closest('dialog')?.open === true

/** Closes the dialog of a form whose change was made. Somebody who has closed it may be at work elsewhere by now. */
function leave(form: HTMLFormElement | null, close: () => void): void {
  if (!isOpen(form)) return
  close()
  // The pressed button may be gone, so the focus moves to the heading.
  document.querySelector<HTMLElement>('main h1')?.focus()
}

/** Sends the change, and says what was done, also if its dialog was left meanwhile. */
function useChange(props: ChangeProps, isShown: () => boolean) {
  const { change, id, action } = props
  const { csrf_token: csrfToken } = useMember()
  const client = useQueryClient()
  const toast = useToast()
  const unanswered = useUnanswered(props)
  const draft = useDraft(props)
  const mutation = useMutation({
    mutationFn: ({ terms }: Filled) => {
      draft.write(null)
      return sendChange(change, { id, form: terms, csrfToken, key: unanswered.keyOf(terms) })
    },
    onError: (fault, { terms, inputs }) => {
      unanswered.failed(terms, fault)
      if (needsSignIn(fault) && !unanswered.isLost(terms)) draft.write(inputs)
      // The button of the dialog then shows what has changed.
      if (hasChanged(fault)) void client.invalidateQueries()
      // An open dialog shows the fault itself.
      if (!isShown()) toast(i18n.t('{action}: {reason}', { action, reason: reasonOf(fault) }))
    },
    onSuccess: ({ action: did, target, after }, { terms }) => {
      unanswered.succeeded(terms)
      toast(
        did === 'bulk_job.create'
          ? startedOf(Number(after['objects']))
          : did === 'approval.request'
            ? i18n.t('{action}: requested for {target}. It waits until another staff member approves it.', {
                action,
                target,
              })
            : i18n.t('{action}: done for {target}. It is in the audit log.', { action, target }),
      )
      void client.invalidateQueries()
    },
  })
  return { ...mutation, unanswered, draft }
}

/** Only a recovery names a time and no objects, so only it can find none. */
const startedOf = (count: number): string =>
  count === 0
    ? i18n.t('Nothing is sent: no exhausted delivery was created since then. Choose an earlier time.')
    : i18n.t(
        '{count, plural, one {Started for # object.} other {Started for # objects.}} “Bulk actions” shows how far it is.',
        { count },
      )

interface ChoiceInputProps {
  readonly choice: NonNullable<ChangeProps['choice']>
  /** The option that is chosen at first. */
  readonly chosen: string | undefined
}

function ChoiceInput({ choice: { label, name, options }, chosen }: ChoiceInputProps) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option} className="choice">
          <input type="radio" name={name} value={option} defaultChecked={option === chosen} required />
          {wordOf(option)}
        </label>
      ))}
    </fieldset>
  )
}

type Field = NonNullable<ChangeProps['fields']>[number]

/** The value of an input as the API takes it. */
function wireOf(fields: readonly Field[], name: string, value: string): string {
  const field = fields.find((one) => one.name === name)
  if (field?.isInstant === true) return secondsAt(value, ownZone) ?? ''
  // The API refuses what is no amount.
  return field?.amountIn === undefined ? value : (amountOf(value, field.amountIn) ?? `${value}?`)
}

interface FieldInputProps {
  readonly field: Field
  /** The button of the field has written its text, of which no event tells. */
  readonly filled: () => void
}

function FieldInput({ field, filled }: FieldInputProps) {
  const {
    name,
    label,
    pattern,
    hint,
    value,
    fill,
    isRequired = false,
    isText = false,
    isInstant = false,
    amountIn,
  } = field
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const write = (text: string) => {
    if (input.current === null) return
    input.current.value = text
    input.current.focus()
    filled()
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type={isInstant ? 'datetime-local' : 'text'}
        name={name}
        defaultValue={value}
        pattern={pattern}
        title={hint}
        aria-describedby={`${id}-hint`}
        required={isRequired}
        inputMode={isText ? 'text' : amountIn === undefined ? 'numeric' : 'decimal'}
        autoComplete="off"
      />
      <p id={`${id}-hint`} className="quiet hint">
        {hint}
      </p>
      {fill && (
        <button type="button" className="plain" onClick={() => write(fill.value)}>
          {fill.label}
        </button>
      )}
    </div>
  )
}

function ReasonInput({ value }: { readonly value: string | undefined }) {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>{i18n.t('Reason (saved in the audit log)')}</label>
      <textarea id={id} name="reason" defaultValue={value} required maxLength={REASON_CHARS_MAX} rows={2} />
    </>
  )
}

/** Confirms a change that cannot be undone. */
function TypedInput({ id }: { readonly id: string }) {
  const field = useId()
  return (
    <>
      <label htmlFor={field}>{i18n.t('Type the id to confirm')}</label>
      <input
        id={field}
        name="typed"
        required
        pattern={id}
        title={i18n.t('The whole id, as shown above')}
        autoComplete="off"
      />
    </>
  )
}
