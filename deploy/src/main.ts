import { writeFile } from 'node:fs/promises'
import { renderDashboard } from './dashboard.ts'
import { dashboards } from './dashboards/index.ts'

for (const [name, dashboard] of Object.entries(dashboards)) {
  const file = new URL(`../grafana/${name}.json`, import.meta.url)
  await writeFile(file, `${JSON.stringify(renderDashboard(dashboard), null, 2)}\n`)
}
