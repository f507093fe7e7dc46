export {
  buildRails,
  createMtnMomo,
  createOrangeMoney,
  type MtnMomoConfig,
  type OrangeMoneyConfig,
  type RailConfig,
} from './build-rails.ts'
export { meterRails } from './metered.ts'
export { openRails } from './open-rails.ts'
