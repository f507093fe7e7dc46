import { Section } from '../../ui/section.tsx'
import { i18n } from '../../i18n.ts'

/** The bytes that are posted, and the same as a person reads them. */
export const RawBody = ({ text }: { text: string }) => (
  <>
    <Section title={i18n.t('Body')}>
      <pre role="region" aria-label={i18n.t('The event’s body')} tabIndex={0}>
        {JSON.stringify(JSON.parse(text), null, 2)}
      </pre>
    </Section>
    <Section title={i18n.t('Bytes as they are signed')}>
      <pre className="raw" role="region" aria-label={i18n.t('Bytes as they are signed')} tabIndex={0}>
        {text}
      </pre>
    </Section>
  </>
)
