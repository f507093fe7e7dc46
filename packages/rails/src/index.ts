export {
  buildRails,
  createMtnMomo,
  createOrangeMoney,
  type MtnMomoConfig,
  type OrangeMoneyConfig,
  type RailConfig,
} from './build-rails.ts'
export { watchRails } from './watched.ts'
export { openRails } from './open-rails.ts'
