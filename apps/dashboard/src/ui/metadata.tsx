import { Facts } from './facts.tsx'
import { i18n } from '../i18n.ts'

/** The merchant's metadata. */
export function Metadata({ of: metadata }: { of: Readonly<Record<string, string>> }) {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return (
    <>
      <h2>{i18n.t('Metadata')}</h2>
      <Facts of={entries} />
    </>
  )
}
