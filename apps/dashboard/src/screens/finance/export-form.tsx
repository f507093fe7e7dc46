import { exportKinds } from '@merchant-payments/contract/words'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { i18n } from '../../i18n.ts'
import { useMember } from '../../member.tsx'
import { ErrorPanel } from '../../ui/error-panel.tsx'
import { useToast } from '../../ui/toast.tsx'
import { wordOf } from '../../ui/words.ts'
import { makeExport } from '../../wire/client.ts'

const formats = ['csv', 'xlsx'] as const
const given = (query: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >

/** Asks for a file of the shown time and merchant, and loads it. */
export function ExportForm({ query }: { query: Readonly<Record<string, string | undefined>> }) {
  const { csrf_token: csrfToken } = useMember()
  const toast = useToast()
  const id = useId()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (form: Record<string, string>) => makeExport(form, csrfToken),
    onSuccess: ({ url }) => {
      toast(i18n.t('The file is being downloaded. The audit log has an entry.'))
      location.assign(url)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const chosen = Object.fromEntries(
      new FormData(event.currentTarget) as unknown as Iterable<[string, string]>,
    )
    if (!isPending) mutate({ ...given(query), ...chosen })
  }
  return (
    <form className="filters" onSubmit={submit} aria-label={i18n.t('Export')}>
      <div className="filter">
        <label htmlFor={`${id}-of`}>{i18n.t('File of')}</label>
        <select id={`${id}-of`} name="of">
          {exportKinds.map((kind) => (
            <option key={kind} value={kind}>
              {wordOf(kind)}
            </option>
          ))}
        </select>
      </div>
      <div className="filter">
        <label htmlFor={`${id}-format`}>{i18n.t('Format')}</label>
        <select id={`${id}-format`} name="format">
          {formats.map((format) => (
            <option key={format} value={format}>
              {format.toUpperCase()}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" aria-disabled={isPending}>
        {i18n.t('Download the file')}
      </button>
      {error && <ErrorPanel fault={error} />}
    </form>
  )
}
