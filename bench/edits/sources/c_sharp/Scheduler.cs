using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Example.Scheduling
{
    public enum Priority { Low, Normal, High }

    public record Job(string Name, Priority Priority, TimeSpan Interval);

    public interface IClock
    {
        DateTime Now { get; }
    }

    public class Scheduler
    {
        public const int MaxJobs = 100;

        private readonly Dictionary<string, DateTime> _lastRun = new();
        private readonly List<Job> _jobs = new();
        private readonly IClock _clock;

        public Scheduler(IClock clock)
        {
            _clock = clock ?? throw new ArgumentNullException(nameof(clock));
        }

        public int Count => _jobs.Count;

        public void Add(Job job)
        {
            if (_jobs.Count >= MaxJobs)
            {
                throw new InvalidOperationException($"There are {MaxJobs} jobs already.");
            }
            _jobs.Add(job);
            _lastRun[job.Name] = DateTime.MinValue;
        }

        public IEnumerable<Job> Due(Priority least = Priority.Low)
        {
            var now = _clock.Now;
            return _jobs
                .Where(job => job.Priority >= least && now - _lastRun[job.Name] >= job.Interval)
                .OrderByDescending(job => job.Priority);
        }

        public async Task<int> RunAsync(Func<Job, Task> work)
        {
            var done = 0;
            foreach (var job in Due().ToList())
            {
                await work(job);
                _lastRun[job.Name] = _clock.Now;
                done++;
            }
            return done;
        }
    }
}
