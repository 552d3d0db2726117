const http = require('node:http')
const process = require('node:process')
const sdk = require('@fulfillment/sdk')
const webhooks = require('@fulfillment/sdk/webhooks')
const node = require('@fulfillment/sdk/webhooks/node')
const testing = require('@fulfillment/sdk/webhooks/testing')

const service = JSON.parse(process.env.SMOKE)
async function main() {
  const { delivery, story } = await import('./story.js')
  await story({ sdk, webhooks, testing }, service)
  await delivery({ sdk, node, http }, service)
}

void main()
