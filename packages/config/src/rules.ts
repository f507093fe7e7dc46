import { z } from 'zod'
import { internalListen } from './addresses.ts'
import { setting } from './setting.ts'

/** Events are dropped by the month. A younger event may have delivery attempts or readers to come. */
const RETENTION_DAYS_MIN = 31
const RETENTION_DAYS_MAX = 36_500

const webhooks = z
  .strictObject({
    allow_private_targets: z
      .boolean()
      .default(false)
      .meta(
        setting({
          description: 'Allows endpoints at private and loopback addresses, for tests.',
          section: '6.3.10',
        }),
      ),
  })
  .prefault({})

const phone = z
  .strictObject({
    default_country_code: z
      .string()
      .regex(/^[1-9]\d{2}$/, 'must be three digits in quotes')
      .default('237')
      .meta(
        setting({
          description: 'The country code of numbers that are given without one: three digits, in quotes.',
          section: '2.2',
        }),
      ),
  })
  .prefault({})

const compat = z
  .strictObject({
    should_retry_header: z
      .string()
      .regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')
      .optional()
      .meta(
        setting({
          description:
            'A second name of the `compat-should-retry` header, in lower case, such as `stripe-should-retry`.',
          section: '7.2',
          absent: 'no second header',
        }),
      ),
  })
  .prefault({})

const log = z
  .strictObject({
    level: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .meta(setting({ description: 'The lowest level that is written.' })),
  })
  .prefault({})

const worker = z
  .strictObject({
    poll_interval_ms: z
      .int()
      .min(50)
      .max(5_000)
      .default(200)
      .meta(
        setting({
          description:
            'How often the worker looks for work that nothing announced. After a minute without work it looks once a second, or this often if that is rarer.',
          section: '6.3.1',
          unit: 'ms',
        }),
      ),
    internal_listen: internalListen.optional().meta(
      setting({
        description:
          'Where the worker answers `/healthz` and `/readyz` of probes. `--internal-port` replaces the port of one process.',
        absent: 'no such listener',
      }),
    ),
    metrics: internalListen
      .optional()
      .meta(
        setting({ description: 'Where the worker serves `/metrics` for Prometheus.', absent: 'no metrics' }),
      ),
  })
  .prefault({})

const archiveFolder = z.string().regex(/^\//, 'must be an absolute path')

/** How the deployment behaves. */
export const rules = {
  webhooks: webhooks.meta(setting({ description: 'Rules for the endpoints of all merchants.' })),
  retention_days: z
    .int()
    .min(RETENTION_DAYS_MIN)
    .max(RETENTION_DAYS_MAX)
    .default(400)
    .meta(
      setting({
        description: 'How long events, deliveries and their attempts are kept.',
        unit: 'days',
      }),
    ),
  archive_folder: archiveFolder.optional().meta(
    setting({
      description:
        'The absolute path of the folder to which `archive write` writes a month before the worker drops it. With it, the worker drops no month that is not archived.',
      absent: 'months are dropped without an archive',
    }),
  ),
  phone: phone.meta(setting({ description: 'How phone numbers are read.', section: '2.2' })),
  worker: worker.meta(setting({ description: 'Settings of the worker alone.' })),
  compat: compat.meta(
    setting({ description: 'Names that stock clients of the compatible API read.', section: '9.3' }),
  ),
  log: log.meta(setting({ description: 'Log lines on stdout.' })),
}
