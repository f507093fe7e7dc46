import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { i18n } from '../../i18n.ts'
import { useMember } from '../../member.tsx'
import { useRead } from '../../queries.ts'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { REASON_CHARS_MAX } from '../../wire/operations.ts'
import { upload } from './upload.ts'

interface Chosen {
  readonly file: File
  readonly form: Readonly<Record<string, string>>
}

/** Uploads an operator's file, compares it, and opens the result. */
export function UploadForm() {
  const { csrf_token: csrfToken } = useMember()
  const rails = useRead('rails')
  const client = useQueryClient()
  const navigate = useNavigate()
  const id = useId()
  const [share, setShare] = useState(0)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: Chosen) => upload({ ...chosen, csrfToken, onProgress: setShare }),
    onSuccess: () => client.invalidateQueries(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { file, ...form } = Object.fromEntries(new FormData(event.currentTarget))
    if (isPending || !(file instanceof File)) return
    setShare(0)
    const open = (statement: string) =>
      void navigate({ to: '/reconciliation/$id', params: { id: statement } })
    // Not called on another screen, to which its reader may have gone on meanwhile.
    mutate({ file, form: form as Record<string, string> }, { onSuccess: open })
  }
  return (
    <form className="filters" onSubmit={submit} aria-label={i18n.t('Upload a statement')}>
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
      <button type="submit" aria-disabled={isPending}>
        {isPending
          ? i18n.t('Uploading, {percent} %', { percent: Math.round(100 * share) })
          : i18n.t('Upload')}
      </button>
      {error && <ErrorPanel fault={error} />}
    </form>
  )
}
