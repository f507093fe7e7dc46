/** An expression of PromQL, and the name of its lines in the legend. */
interface Query {
  readonly expr: string
  readonly legend: string
}

interface Panel {
  readonly title: string
  /** The question that the panel answers. */
  readonly description: string
  readonly type: 'timeseries' | 'stat'
  /** Grafana's name of the unit. */
  readonly unit: 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'dateTimeFromNow'
  readonly queries: readonly Query[]
  /** The value above which the panel turns red: the threshold of the alert about it. */
  readonly limit?: number
}

interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
  /** A variable whose values each get a row of their own. */
  readonly repeat?: string
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly rows: readonly Row[]
  /** Variables, and the expression whose label of the same name has their values. */
  readonly variables?: Readonly<Record<string, string>>
}

const COLUMNS = 24
const PANELS_PER_ROW = 3
const PANEL_HEIGHT = 8
/** Grafana migrates older versions when it loads them. */
const SCHEMA_VERSION = 39
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/** Renders a dashboard as Grafana stores it. Ids and places follow from the order of the panels. */
export function renderDashboard({ uid, title, rows, variables = {} }: Dashboard): object {
  let id = 0
  let y = 0
  const panels = rows.flatMap((row) => {
    const head = {
      id: (id += 1),
      type: 'row',
      title: row.title,
      collapsed: false,
      ...(row.repeat && { repeat: row.repeat }),
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    }
    const top = y + 1
    const width = COLUMNS / PANELS_PER_ROW
    const body = row.panels.map((panel, n) => ({
      id: (id += 1),
      ...renderPanel(panel),
      gridPos: {
        x: (n % PANELS_PER_ROW) * width,
        y: top + Math.trunc(n / PANELS_PER_ROW) * PANEL_HEIGHT,
        w: width,
        h: PANEL_HEIGHT,
      },
    }))
    y = top + Math.ceil(body.length / PANELS_PER_ROW) * PANEL_HEIGHT
    return [head, ...body]
  })
  return {
    uid,
    title,
    tags: ['merchant-payments'],
    schemaVersion: SCHEMA_VERSION,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasource, ...Object.entries(variables).map(renderVariable)] },
    panels,
  }
}

const datasource = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }

const renderVariable = ([name, expr]: [string, string]) => ({
  name,
  label: name,
  type: 'query',
  datasource: DATASOURCE,
  query: { query: `label_values(${expr}, ${name})`, refId: name },
  refresh: 2,
  multi: true,
  includeAll: true,
  current: { text: 'All', value: '$__all' },
})

const renderPanel = ({ title, description, type, unit, queries, limit }: Panel) => ({
  type,
  title,
  description,
  datasource: DATASOURCE,
  fieldConfig: {
    defaults: {
      unit,
      min: 0,
      ...(limit !== undefined && {
        thresholds: {
          mode: 'absolute',
          steps: [
            { color: 'green', value: null },
            { color: 'red', value: limit },
          ],
        },
        custom: { thresholdsStyle: { mode: 'line' } },
      }),
    },
    overrides: [],
  },
  options:
    type === 'stat'
      ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value' }
      : { tooltip: { mode: 'multi', sort: 'desc' }, legend: { displayMode: 'list', placement: 'bottom' } },
  targets: queries.map(({ expr, legend }, n) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + n),
    expr,
    legendFormat: legend,
    datasource: DATASOURCE,
  })),
})
