// Preloaded into the processes of a server: the one with this number ends when it starts.
const { PROCESS_NUMBER, FAILING_NUMBER } = process.env

if (PROCESS_NUMBER !== undefined && PROCESS_NUMBER === FAILING_NUMBER) process.exit(3)
