import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runStages, type StopStage } from '@fulfillment/server/runtime/stop-stages.ts'

const never = new Promise<void>(() => {})

it('a stage that hangs is left behind in time for those after it, which all run', async () => {
  const left: Record<string, number> = {}
  const stage = (name: string, restMs: number, work: Promise<unknown> | undefined): StopStage => ({
    name,
    restMs,
    stop: (leftMs) => {
      left[name] = leftMs
      return work
    },
  })
  const stages = [stage('the API', 9_600, never), stage('the cache', 0, undefined), stage('the database', 0, delay(10))]
  const begunAt = performance.now()
  await expect(runStages(stages, begunAt + 10_000)).rejects.toThrow('There was no time to stop the API in good order')
  expect(performance.now() - begunAt).toBeGreaterThan(390)
  expect(Object.keys(left)).toEqual(['the API', 'the cache', 'the database'])
  expect(left['the API']).toBeLessThanOrEqual(400)
  expect(left['the database']).toBeGreaterThan(0)
  expect(left['the database']).toBeLessThanOrEqual(9_610)
})

it('a stage that fails does not keep those after it, and all failures are told', async () => {
  const stopped: string[] = []
  const failing = (name: string): StopStage => ({
    name,
    stop: async () => {
      stopped.push(name)
      throw new Error(`${name} failed`)
    },
  })
  const stages = [failing('the API'), failing('the database')]
  await expect(runStages(stages, performance.now() + 60_000)).rejects.toThrow(/the API failed.*the database failed/)
  expect(stopped).toEqual(['the API', 'the database'])
})
