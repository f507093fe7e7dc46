export {
  buildRails,
  createMtnMomo,
  createOrangeMoney,
  type MtnMomoConfig,
  type OrangeMoneyConfig,
  type RailConfig,
} from './build-rails.ts'
export { openRails } from './open-rails.ts'
