import { Icon } from './icon.tsx'
import { useToast } from './toast.tsx'
import { i18n } from '../i18n.ts'

export function CopiedId({ id }: { id: string }) {
  const toast = useToast()
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => toast(i18n.t('Copied {id}', { id })),
      () => toast(i18n.t('The browser refused to copy the id.')),
    )
  return (
    <span className="copied-id">
      <code>{id}</code>
      <button
        type="button"
        className="plain"
        aria-label={i18n.t('Copy {id}', { id })}
        onClick={() => void copy()}
      >
        <Icon name="copy" />
      </button>
    </span>
  )
}
