import { readFile } from 'node:fs/promises'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { load } from 'js-yaml'
import { expect, vi } from 'vitest'
import type { Selector } from './promql.ts'

interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface Scraped {
  /** By the name of the metric, without the suffixes of a histogram. */
  readonly types: ReadonlyMap<string, string>
  readonly series: readonly Series[]
}

export interface Exported extends Scraped {
  /** The lines of both processes, from their start to their end. */
  readonly lines: readonly string[]
}

const APPROVES = '237670000001'
/** For two payments and their webhooks on a busy machine. */
const SETTLED_MAX_MS = 30_000

/** What an api and a worker show of a look-up, a payment of a merchant, and one of a payer with its refund. */
export async function runStack(): Promise<Exported> {
  const database = await cloneDatabase()
  try {
    const stack = await startStack({
      databaseUrl: database.url,
      staff: true,
      isOwnStandby: true,
      mockRailsSettings: { mtn: { autoApproveAfterMs: 0 } },
    })
    let scraped: Scraped
    try {
      await takePayments(stack)
      scraped = await scrape(stack)
    } finally {
      await stack.stop()
    }
    const lines = [...stack.api.lines(), ...stack.worker.lines()]
    // Node writes its warnings between them, to stderr.
    return { ...scraped, lines: lines.filter((line) => line.startsWith('{')) }
  } finally {
    await database.drop()
  }
}

async function takePayments(stack: Stack): Promise<void> {
  const { baseUrl, clientId, publishableKey, mockRails } = stack
  const privateKey = await readFile(stack.privateKeyFile, 'utf8')
  const { accountHolders, paymentIntents, refunds } = createMerchantPayments({
    baseUrl,
    clientId,
    privateKey,
  })
  const rail = mockRails.pushRail
  await accountHolders.retrieve({ payment_method_type: rail, msisdn: APPROVES })
  const create = () => paymentIntents.create({ amount: 500, currency: 'XAF', payment_method_types: [rail] })
  await paymentIntents.confirm((await create()).id, { payment_method_data: { [rail]: { msisdn: APPROVES } } })
  const { id, client_secret: secret = '' } = await create()
  const confirmed = await fetch(`${baseUrl}/v1/browser/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: {
      'client-secret': secret,
      'publishable-key': publishableKey,
      'idempotency-key': 'payer',
    },
    body: new URLSearchParams({ [`payment_method_data[${rail}][msisdn]`]: APPROVES }),
  })
  expect(confirmed.status).toBe(200)
  const arePosted = () => stack.webhook?.receiver.received().length === 2
  await vi.waitUntil(arePosted, { timeout: SETTLED_MAX_MS })
  await refunds.create({ payment_intent: id, destination: { [rail]: { msisdn: APPROVES } } })
}

async function scrape({ configFile }: Stack): Promise<Scraped> {
  const config = load(await readFile(configFile, 'utf8')) as {
    metrics: { port: number }
    worker: { metrics: { port: number } }
  }
  const ports = [config.metrics.port, config.worker.metrics.port]
  const texts = await Promise.all(
    ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const lines = texts.join('').split('\n')
  return {
    types: new Map(lines.flatMap((line) => [/^# TYPE (\w+) (\w+)$/.exec(line)].map(pairOf).filter(isFound))),
    series: lines.filter((line) => /^\w/.test(line)).map(seriesOf),
  }
}

const pairOf = (match: RegExpExecArray | null): [string, string] => [match?.[1] ?? '', match?.[2] ?? '']
const isFound = ([name]: [string, string]): boolean => name !== ''

function seriesOf(line: string): Series {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value])
  return { name, labels: Object.fromEntries(pairs) as Record<string, string> }
}

/**
 * The series as Prometheus 3 stores them: bounds of histograms and quantiles of summaries with a decimal point. Prometheus 2
 * keeps what a process wrote.
 */
export function storedByPrometheus3({ types, series }: Scraped): Scraped {
  const isNumber = (name: string, label: string): boolean =>
    label === 'le'
      ? types.get(name.replace(/_bucket$/, '')) === 'histogram'
      : label === 'quantile' && types.get(name) === 'summary'
  return {
    types,
    series: series.map(({ name, labels }) => ({
      name,
      labels: Object.fromEntries(
        Object.entries(labels).map(([label, value]) => [
          label,
          isNumber(name, label) && /^\d+$/.test(value) ? `${value}.0` : value,
        ]),
      ),
    })),
  }
}

/** Set by Prometheus itself. */
const scrapeLabels = ['job', 'instance']
/** Values of these depend on how a call went, and the payments of this test all go well. */
const openLabels = ['status', 'outcome', 'result', 'error']

/** What the selectors name that the processes do not export, a line each. */
export function findUnknown({ series, types }: Scraped, selectors: readonly Selector[]): string[] {
  return [...new Set(selectors.flatMap(unknownOf))]

  function unknownOf({ metric, matchers }: Selector): string[] {
    const own = series.filter(({ name }) => name === metric)
    // A counter whose labels are not known before the first count has no series yet.
    if (own.length === 0) return types.has(metric) && matchers.length === 0 ? [] : [metric]
    return matchers
      .filter(({ label }) => !scrapeLabels.includes(label))
      .flatMap(({ label, op, value }) => {
        const values = own.flatMap(({ labels }) => labels[label] ?? [])
        if (values.length === 0) return [`${metric}{${label}}`]
        if (openLabels.includes(label)) return []
        const words = op.endsWith('~') ? value.split('|') : [escaped(value)]
        const missing = words.filter((word) => !values.some((one) => new RegExp(`^(?:${word})$`).test(one)))
        return missing.map((word) => `${metric}{${label}="${word}"}`)
      })
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
