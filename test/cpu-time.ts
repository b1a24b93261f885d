/** How long this thread has worked, in milliseconds: unlike the clock, it does not go on while other programs have the processor. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
