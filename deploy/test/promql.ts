import { parser } from '@prometheus-io/lezer-promql'

interface Matcher {
  readonly label: string
  readonly op: string
  readonly value: string
}

/** What an expression reads: a metric, and the series of it that its matchers leave. */
export interface Selector {
  readonly metric: string
  readonly matchers: readonly Matcher[]
}

/** @throws if the expression is not PromQL */
export function selectorsOf(expr: string): Selector[] {
  const found: { metric: string; matchers: Matcher[] }[] = []
  const textOf = ({ from, to }: { from: number; to: number }) => expr.slice(from, to)
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${expr}`)
      if (node.name === 'VectorSelector') found.push({ metric: '', matchers: [] })
      const selector = found.at(-1)
      if (selector === undefined) return
      if (node.name === 'Identifier') selector.metric = textOf(node)
      if (node.name === 'UnquotedLabelMatcher') {
        const [, label = '', op = '', quoted = '""'] =
          /^(\w+)\s*(=~|!~|!=|=)\s*(".*")$/.exec(textOf(node)) ?? []
        selector.matchers.push({ label, op, value: JSON.parse(quoted) as string })
      }
    },
  })
  return found
}
