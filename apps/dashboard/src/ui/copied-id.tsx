import { Icon } from './icon.tsx'
import { useSay } from './say.tsx'

export function CopiedId({ id }: { id: string }) {
  const say = useSay()
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => say(`Copied ${id}`),
      () => say('The browser did not let it be copied.'),
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
