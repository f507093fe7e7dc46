import { useRead } from '../../queries.ts'
import { Section } from '../../ui/section.tsx'
import { useToast } from '../../ui/toast.tsx'
import { i18n } from '../../i18n.ts'

interface RequestProps {
  readonly merchant: string
  readonly endpoint: string
  readonly event: string
  readonly body: string
  /** When the newest attempt began. Null before the first. */
  readonly at: number | null
}

/** What an attempt sends, the text that is signed, and the same as a command. The secrets are the worker's alone. */
export function RequestAsSent({ merchant, endpoint, event, body, at }: RequestProps) {
  const toast = useToast()
  const { data } = useRead('merchantClients')
  const url = data?.data.find(({ id }) => id === merchant)?.endpoints.find(({ id }) => id === endpoint)?.url
  const headers = headersOf(event, at)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(curlOf(url ?? 'https://…', headers, body))
      toast(i18n.t('The command is copied. Its signature is a placeholder.'))
    } catch {
      toast(i18n.t('The browser refused to copy the command.'))
    }
  }
  return (
    <Section
      title={i18n.t('Request')}
      actions={
        <button type="button" onClick={() => void copy()}>
          {i18n.t('Copy as curl')}
        </button>
      }
    >
      <pre role="region" aria-label={i18n.t('Headers')} tabIndex={0}>
        {[`POST ${url ?? endpoint}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}
      </pre>
      <p className="quiet">
        {i18n.t(
          'Each secret of the endpoint signs the time t, a full stop and the bytes below, by HMAC-SHA256. The signature itself is not stored.',
        )}
      </p>
    </Section>
  )
}

type Header = readonly [name: string, value: string]

/** As the worker sends them (spec 6.3.2 to 6.3.4). */
function headersOf(event: string, at: number | null): readonly Header[] {
  const signature = `t=${at ?? '…'},v1=…`
  return [
    ['Content-Type', 'application/json'],
    ['Service-Signature', signature],
    ['Compat-Signature', signature],
    ['Service-Event-Id', event],
    ['User-Agent', 'merchant-payments-webhooks/1'],
  ]
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const curlOf = (url: string, headers: readonly Header[], body: string): string =>
  [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ')
