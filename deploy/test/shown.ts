import { type Dashboard, renderDashboard } from '../src/dashboard.ts'

interface RenderedPanel {
  readonly id: number
  readonly type: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
}

/** What Grafana reads of a dashboard. */
export interface Rendered {
  readonly uid: string
  readonly panels: readonly RenderedPanel[]
  readonly templating: { readonly list: readonly { readonly name: string }[] }
}

export const rendered = (dashboard: Dashboard): Rendered => renderDashboard(dashboard) as Rendered

/** The expressions of all panels, as Grafana sends them for one rail. */
export const expressionsOf = (dashboards: readonly Dashboard[]): string[] =>
  dashboards
    .flatMap((dashboard) => rendered(dashboard).panels.flatMap(({ targets = [] }) => targets))
    .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$rail', 'mtn_momo_cm'))
