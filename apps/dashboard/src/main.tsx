import './style.css'
import { openDashboard } from './dashboard.tsx'

openDashboard(document.getElementById('root') ?? document.body)
