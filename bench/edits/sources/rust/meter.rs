use std::collections::HashMap;
use std::fmt;

pub const WINDOW: usize = 60;

#[derive(Debug, Clone, PartialEq)]
pub enum Level {
    Calm,
    Busy { load: f64 },
    Overloaded(f64),
}

pub trait Gauge {
    fn read(&self) -> f64;

    fn percent(&self) -> f64 {
        (self.read() * 100.0).clamp(0.0, 100.0)
    }
}

#[derive(Default)]
pub struct Meter {
    samples: Vec<f64>,
    names: HashMap<String, usize>,
}

impl Meter {
    pub fn push(&mut self, name: &str, value: f64) -> usize {
        if self.samples.len() == WINDOW {
            self.samples.remove(0);
        }
        self.samples.push(value);
        *self.names.entry(name.to_string()).or_insert(0) += 1;
        self.samples.len()
    }

    pub fn level(&self) -> Level {
        let load = self.read();
        match load {
            x if x < 0.5 => Level::Calm,
            x if x < 0.9 => Level::Busy { load: x },
            x => Level::Overloaded(x),
        }
    }
}

impl Gauge for Meter {
    fn read(&self) -> f64 {
        let total: f64 = self.samples.iter().sum();
        total / self.samples.len().max(1) as f64
    }
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Calm => write!(out, "calm"),
            Level::Busy { load } => write!(out, "busy at {:.2}", load),
            Level::Overloaded(load) => write!(out, "overloaded at {:.2}", load),
        }
    }
}

fn smooth(values: &[f64], factor: f64) -> Vec<f64> {
    let mut last = values.first().copied().unwrap_or(0.0);
    values
        .iter()
        .map(|value| {
            last = last + factor * (value - last);
            last
        })
        .collect()
}
