import { Icon } from './icon.tsx'
import { useToast } from './toast.tsx'

export function CopiedId({ id }: { id: string }) {
  const toast = useToast()
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => toast(`Copied ${id}`),
      () => toast('The browser refused to copy the id.'),
    )
  return (
    <span className="copied-id">
      <code>{id}</code>
      <button type="button" className="plain" aria-label={`Copy ${id}`} onClick={() => void copy()}>
        <Icon name="copy" />
      </button>
    </span>
  )
}
