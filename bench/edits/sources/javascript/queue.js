"use strict";

const { EventEmitter } = require("events");

const RETRY_LIMIT = 5;
const BACKOFF = [100, 400, 1600];

class JobQueue extends EventEmitter {
  constructor(worker, options = {}) {
    super();
    this.worker = worker;
    this.width = options.width || 2;
    this.waiting = [];
    this.running = 0;
  }

  push(job) {
    this.waiting.push({ job, attempts: 0 });
    this.emit("queued", job);
    this.drain();
  }

  async drain() {
    while (this.running < this.width && this.waiting.length > 0) {
      const entry = this.waiting.shift();
      this.running += 1;
      try {
        await this.worker(entry.job);
      } catch (error) {
        retry(this, entry, error);
      } finally {
        this.running -= 1;
      }
    }
  }
}

function retry(queue, entry, error) {
  entry.attempts += 1;
  if (entry.attempts > RETRY_LIMIT) {
    queue.emit("failed", entry.job, error);
    return;
  }
  const delay = BACKOFF[Math.min(entry.attempts, BACKOFF.length) - 1];
  setTimeout(() => queue.push(entry.job), delay);
}

const summary = function (queue) {
  const { running, waiting } = queue;
  return "running: " + running + ", waiting: " + waiting.length;
};

module.exports = { JobQueue, retry, summary };
