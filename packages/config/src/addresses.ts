import { z } from 'zod'
import { setting } from './setting.ts'
import { calledUrl, ownOrigin } from './url.ts'

const browser = z
  .strictObject({
    account_holders: z
      .boolean()
      .default(false)
      .meta(
        setting({
          description: 'Lets payers look up the name of a mobile-money account while they pay.',
          section: '2.8',
        }),
      ),
  })
  .prefault({})

const port = z.int().min(0).max(65_535)

const host = z
  .string()
  .min(1)
  .default('127.0.0.1')
  .meta(setting({ description: 'The address of the interface. `0.0.0.0` is every interface.' }))

const portWords = 'The TCP port. 0 takes any free port.'

const listen = z
  .strictObject({ host, port: port.default(8080).meta(setting({ description: portWords })) })
  .prefault({})

export const internalListen = z.strictObject({ host, port: port.meta(setting({ description: portWords })) })

const tracing = z.strictObject({
  endpoint: calledUrl.meta(setting({ description: 'The address of the collector, for OTLP over HTTP.' })),
  sample_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .meta(setting({ description: 'The share of requests that are traced.' })),
})

/** What the deployment is, where it answers, and where its spans go. */
export const addresses = {
  livemode: z.boolean().meta(
    setting({
      description: 'Whether real money moves. It refuses test rails and settings that expose secrets.',
      section: '6.3.11',
    }),
  ),
  public_base_url: ownOrigin.meta(
    setting({
      description: 'The address of the API as clients see it. Tokens and the issuer are made from it.',
      section: '5.5',
    }),
  ),
  checkout_base_url: ownOrigin.optional().meta(
    setting({
      description: 'The address of the hosted checkout page, if another host serves it.',
      section: '2.5',
      absent: '`public_base_url`',
    }),
  ),
  callback_base_url: ownOrigin.optional().meta(
    setting({
      description:
        'The address to which rails send callbacks, if it is not the clients’. A deployment that is one of several cells behind one address names its own.',
      section: '4.1',
      absent: '`public_base_url`',
    }),
  ),
  checkout_page_dir: z
    .string()
    .min(1)
    .optional()
    .meta(
      setting({
        description:
          'The folder of the built checkout page, which the api reads at its start and serves under `/c/`.',
        absent: 'the api serves no page',
      }),
    ),
  browser: browser.meta(setting({ description: 'What payers’ devices may ask.', section: '4.6' })),
  reference: z
    .boolean()
    .optional()
    .meta(
      setting({
        description: 'Serves a page at `/reference` that describes the API.',
        absent: 'on in testmode, off in livemode',
      }),
    ),
  listen: listen.meta(
    setting({ description: 'Where the api answers clients. `--port` replaces the port of one process.' }),
  ),
  internal_listen: internalListen.optional().meta(
    setting({
      description:
        'Where the api answers `/healthz` and `/readyz` of probes. `--internal-port` replaces the port of one process.',
      absent: 'no such listener',
    }),
  ),
  metrics: internalListen
    .optional()
    .meta(setting({ description: 'Where the api serves `/metrics` for Prometheus.', absent: 'no metrics' })),
  tracing: tracing
    .optional()
    .meta(setting({ description: 'Sends spans to an OpenTelemetry collector.', absent: 'no traces' })),
}
