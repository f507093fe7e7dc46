import type { Statement } from '@merchant-payments/contract'
import { statementVerdicts } from '@merchant-payments/contract/words'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { i18n } from '../../i18n.ts'
import { useMember } from '../../member.tsx'
import { useRead } from '../../queries.ts'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { wordOf } from '../../ui/words.ts'
import { REASON_CHARS_MAX } from '../../wire/operations.ts'
import { findEarlier } from './earlier.ts'
import { upload } from './upload.ts'

interface Chosen {
  readonly file: File
  readonly form: Readonly<Record<string, string>>
  /** The statement of the day that the member agrees to replace. */
  readonly replaces: Statement | null
}

/** Uploads an operator's file, compares it, and opens the result. */
export function UploadForm() {
  const { csrf_token: csrfToken } = useMember()
  const rails = useRead('rails')
  const client = useQueryClient()
  const navigate = useNavigate()
  const id = useId()
  const [share, setShare] = useState(0)
  const [earlier, setEarlier] = useState<Statement | null>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ replaces, ...chosen }: Chosen) => {
      const found = await findEarlier(chosen.form, replaces)
      setEarlier(found)
      return found === null ? upload({ ...chosen, csrfToken, onProgress: setShare }) : null
    },
    onSuccess: () => client.invalidateQueries(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { file, ...form } = Object.fromEntries(new FormData(event.currentTarget))
    if (isPending || !(file instanceof File)) return
    setShare(0)
    const open = (statement: string | null) =>
      statement !== null && void navigate({ to: '/reconciliation/$id', params: { id: statement } })
    // Not called on another screen, to which its reader may have gone on meanwhile.
    mutate({ file, form: form as Record<string, string>, replaces: earlier }, { onSuccess: open })
  }
  return (
    <form
      className="filters"
      onSubmit={submit}
      onChange={() => isPending || setEarlier(null)}
      aria-label={i18n.t('Upload a statement')}
    >
      <div className="filter">
        <label htmlFor={`${id}-rail`}>{i18n.t('Rail')}</label>
        <select id={`${id}-rail`} name="rail" required>
          {(rails.data?.data ?? []).map((rail) => (
            <option key={rail.id} value={rail.id}>
              {rail.id}
            </option>
          ))}
        </select>
      </div>
      <div className="filter">
        <label htmlFor={`${id}-day`}>{i18n.t('Day, of the operator')}</label>
        <input id={`${id}-day`} name="day" type="date" required />
      </div>
      <div className="filter">
        <label htmlFor={`${id}-file`}>{i18n.t('CSV file')}</label>
        <input id={`${id}-file`} name="file" type="file" accept=".csv,text/csv" required />
      </div>
      <div className="filter text">
        <label htmlFor={`${id}-reason`}>{i18n.t('Reason (saved in the audit log)')}</label>
        <input id={`${id}-reason`} name="reason" required maxLength={REASON_CHARS_MAX} autoComplete="off" />
      </div>
      {earlier && <Earlier statement={earlier} />}
      <SubmitButton isPending={isPending} share={share} replaces={earlier !== null} />
      {rails.data === undefined && rails.error !== null && (
        <ErrorPanel fault={rails.error} again={() => void rails.refetch()} />
      )}
      {error && <ErrorPanel fault={error} />}
    </form>
  )
}

interface SubmitProps {
  readonly isPending: boolean
  readonly share: number
  readonly replaces: boolean
}

function SubmitButton({ isPending, share, replaces }: SubmitProps) {
  const text = replaces ? i18n.t('Replace and upload') : i18n.t('Upload')
  return (
    <button
      type="submit"
      className={replaces ? 'grave' : undefined}
      aria-disabled={isPending}
      // The question comes between two clicks of a double click, which must not answer it.
      onClick={(event) => event.detail > 1 && event.preventDefault()}
    >
      {isPending ? i18n.t('Uploading, {percent} %', { percent: Math.round(100 * share) }) : text}
    </button>
  )
}

/** The API replaces it as soon as the upload begins, before it has read a line of the new file. */
function Earlier({ statement }: { statement: Statement }) {
  const count = statementVerdicts.reduce((sum, verdict) => sum + statement[verdict], 0)
  return (
    <p className="note" role="status">
      {i18n.t(
        'This day already has a statement, which {name} uploaded: {state}, {matched} matched, {count, plural, one {# difference} other {# differences}}. It is replaced as soon as the upload starts.',
        {
          name: statement.created_by.name,
          state: wordOf(statement.status),
          matched: statement.matched,
          count,
        },
      )}{' '}
      <Link to="/reconciliation/$id" params={{ id: statement.id }}>
        {i18n.t('Look at it')}
      </Link>
    </p>
  )
}
