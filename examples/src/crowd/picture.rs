//! Pictures of the crowd: the whole hall, one door from near, and curves over time.

use jostle::PipelineError;
use jostle_picture::{
    Canvas, Color, Curve, GROUND, Lens, PANEL, Plot, QUIET, STONE, Size, TEXT, WITNESS, faded, grouped, of_gap,
    outline, plot, polygon, rgb,
};

use super::{FELT, Station};

/// Measurements, one per second.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// People through all doors, per second and metre of door.
    pub flow: Vec<[f64; 2]>,
    /// The same through each door, over the last ten seconds.
    pub by_door: Vec<Vec<[f64; 2]>>,
    /// People per square metre in front of a door, the mean of all doors.
    pub queue: Vec<[f64; 2]>,
    /// The same in front of the fullest door.
    pub fullest: Vec<[f64; 2]>,
    /// People per square metre of the hall.
    pub hall: Vec<[f64; 2]>,
    /// How many had left by each door after each second.
    left_by: Vec<Vec<u64>>,
}

/// Seconds over which flows are averaged: one door lets some twelve people through in one.
const SPAN: usize = 10;

impl Course {
    /// Takes the measurements; to be called once per simulated second.
    pub fn note(&mut self, station: &Station) {
        let time = station.time();
        let doors = &station.plan().doors;
        if self.left_by.is_empty() {
            self.left_by.push(vec![0; doors.len()]);
            self.by_door = vec![Vec::new(); doors.len()];
        }
        self.left_by.push(station.left_by().to_vec());
        let now = self.left_by.len() - 1;
        let gone = |door: usize, span: usize| (self.left_by[now][door] - self.left_by[now - span][door]) as f64;
        let width: f64 = doors.iter().map(|door| door.width).sum();
        self.flow.push([time, (0..doors.len()).map(|door| gone(door, 1)).sum::<f64>() / width]);
        let span = SPAN.min(now);
        for (door, flow) in self.by_door.iter_mut().enumerate() {
            flow.push([time, gone(door, span) / (span as f64 * doors[door].width)]);
        }
        let densities = station.densities();
        self.queue.push([time, densities.iter().sum::<f64>() / densities.len() as f64]);
        self.fullest.push([time, densities.into_iter().fold(0.0, f64::max)]);
        let [x, y] = station.plan().sides;
        self.hall.push([time, station.inside() as f64 / (x * y)]);
    }
    /// The largest mean flow over ten consecutive seconds, people per second and metre of door.
    pub fn highest_flow(&self) -> f64 {
        let span = self.flow.len().clamp(1, SPAN);
        self.flow
            .windows(span)
            .map(|some| some.iter().map(|point| point[1]).sum::<f64>() / span as f64)
            .fold(0.0, f64::max)
    }
}

/// The still: 1920 by 1080.
///
/// # Errors
/// If there is no memory for it, or a position is not finite.
pub fn still(station: &Station, course: &Course, until: f64) -> Result<Canvas, String> {
    let mut canvas = Canvas::new(1920, 1080, rgb(GROUND)).ok_or("the picture has no size")?;
    let gone: u64 = station.left_by().iter().sum();
    let people = station.inside() + gone as usize;
    let title = format!("{} people leave a station", grouped(people));
    canvas.text(&title, [32.0, 20.0], Size::Large, rgb(TEXT));
    let now = format!("{:.0} s: {} through the doors", station.time(), grouped(gone));
    canvas.text(&now, [1888.0 - Canvas::text_width(&now, Size::Middle), 28.0], Size::Middle, rgb(QUIET));
    let hall = [32.0, 70.0, 1856.0, 660.0];
    draw_hall(&mut canvas, station, hall).map_err(|error| error.to_string())?;
    legend(&mut canvas, [hall[0] + 12.0, hall[1] + hall[3] + 8.0]);

    let near = [32.0, 776.0, 600.0, 276.0];
    draw_door(&mut canvas, station, near).map_err(|error| error.to_string())?;
    let [amber, rose, blue] = [0xff_c8_57, 0xf0_6c_7c, 0x6f_9c_e8].map(rgb);
    let each = course.by_door.iter().map(|points| Curve { name: "", points, colour: faded(0x6f_9c_e8, 0.3) });
    let mut flow: Vec<Curve<'_>> = each.collect();
    if let Some(one) = flow.first_mut() {
        *one = Curve { name: "each door, over 10 s", ..*one };
    }
    flow.push(Curve { name: "all doors", points: &course.flow, colour: amber });
    let title = "Flow, people per s and m of door";
    plot(&mut canvas, [652.0, 776.0, 608.0, 276.0], &Plot { title, until, curves: &flow });
    let density = [
        Curve { name: "fullest door", points: &course.fullest, colour: rose },
        Curve { name: "doors", points: &course.queue, colour: amber },
        Curve { name: "hall", points: &course.hall, colour: blue },
    ];
    let title = "People per square metre";
    plot(&mut canvas, [1280.0, 776.0, 608.0, 276.0], &Plot { title, until, curves: &density });
    Ok(canvas)
}

/// A picture of the animation.
///
/// # Errors
/// If there is no memory for it, or a position is not finite.
pub fn frame(station: &Station) -> Result<Canvas, String> {
    let mut canvas = Canvas::new(1320, 524, rgb(GROUND)).ok_or("the picture has no size")?;
    draw_hall(&mut canvas, station, [4.0, 52.0, 1312.0, 468.0]).map_err(|error| error.to_string())?;
    let now = format!("{:2.0} s  {:>6} inside", station.time(), grouped(station.inside()));
    canvas.text(&now, [12.0, 10.0], Size::Large, rgb(TEXT));
    Ok(canvas.half())
}

/// All of the hall, as large as fits the panel.
fn draw_hall(canvas: &mut Canvas, station: &Station, panel: [f32; 4]) -> Result<(), PipelineError> {
    let [width, height] = station.plan().sides.map(|side| side + 2.0);
    let scale = (f64::from(panel[2]) / width).min(f64::from(panel[3]) / height);
    let room = [f64::from(panel[2]) / scale - width, f64::from(panel[3]) / scale - height];
    let lens = Lens { origin: [-1.0 - room[0] / 2.0, -1.0 - room[1] / 2.0], scale, panel };
    draw(canvas, station, &lens, Detail::Outlines)
}

/// The door in the middle of the lower wall, with the contacts that jostle found.
fn draw_door(canvas: &mut Canvas, station: &Station, panel: [f32; 4]) -> Result<(), PipelineError> {
    let plan = station.plan();
    let lower = plan.doors.iter().filter(|door| door.inward[1] > 0.0);
    let off = |x: f64| (x - plan.sides[0] * 0.5).abs();
    let middle = lower.map(|door| door.middle).min_by(|p, q| off(p[0]).total_cmp(&off(q[0]))).unwrap_or_default();
    let scale = 36.0;
    let origin = [middle[0] - f64::from(panel[2]) / scale / 2.0, middle[1] - 1.3];
    let lens = Lens { origin, scale, panel };
    canvas.clip(panel);
    draw(canvas, station, &lens, Detail::Heads)?;
    for row in station.hall().contacts() {
        let (from, to) = (lens.point(row.witness_a), lens.point(row.witness_b));
        if lens.shows(from, 0.0) || lens.shows(to, 0.0) {
            let near = 1.0 - (row.distance / FELT as f32).clamp(0.0, 1.0);
            canvas.line(from, to, 1.0 + near, faded(WITNESS, 0.1 + 0.6 * near * near));
        }
    }
    canvas.unclip();
    canvas.frame(panel, 1.5, faded(TEXT, 0.25));
    Ok(())
}

/// How much is drawn of each person.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Detail {
    /// The outline, filled: more cannot be seen from far away.
    Outlines,
    /// Also a line around it, and the head.
    Heads,
}

fn draw(canvas: &mut Canvas, station: &Station, lens: &Lens, detail: Detail) -> Result<(), PipelineError> {
    let plan = station.plan();
    let [x, y] = lens.point([0.0, plan.sides[1]]);
    canvas.rectangle([x, y, lens.length(plan.sides[0]), lens.length(plan.sides[1])], rgb(PANEL));
    let bodies = station.hall().columns()?;
    let draw_body = |canvas: &mut Canvas, slot: usize, colour: Color| {
        let centre = lens.point(bodies.positions()[slot]);
        if lens.shows(centre, lens.length(bodies.shape(slot).reach()))
            && let Some(corners) = outline(&bodies, slot)
            && let Some(path) = polygon(&corners.into_iter().map(|corner| lens.point(corner)).collect::<Vec<_>>())
        {
            canvas.fill(&path, colour);
            if detail == Detail::Heads {
                canvas.stroke(&path, 1.2, rgb(GROUND));
            }
        }
    };
    for slot in 0..plan.statics as usize {
        draw_body(canvas, slot, rgb(STONE));
    }
    for person in station.people() {
        let colour = of_pace(person.pace);
        draw_body(canvas, person.slot, colour);
        let centre = lens.point(person.position);
        if detail == Detail::Heads && lens.shows(centre, 10.0) {
            canvas.disc(centre, lens.length(0.09), faded(WITNESS, 0.75));
        }
    }
    Ok(())
}

/// Amber for people who stand, to blue for people who walk as fast as they like.
fn of_pace(pace: f64) -> Color {
    of_gap((0.95 * pace) as f32)
}

fn legend(canvas: &mut Canvas, [left, top]: [f32; 2]) {
    for step in 0..160_u16 {
        canvas.rectangle([left + 90.0 + f32::from(step), top + 4.0, 1.0, 12.0], of_pace(f64::from(step) / 160.0));
    }
    canvas.text("standing", [left, top], Size::Small, rgb(QUIET));
    canvas.text("as fast as they like", [left + 262.0, top], Size::Small, rgb(QUIET));
    let model =
        "Social forces (Helbing, Farkas, Vicsek 2000) between true outlines; distances, normals and contacts by jostle";
    let right = 1888.0 - Canvas::text_width(model, Size::Small);
    canvas.text(model, [right, top], Size::Small, rgb(QUIET));
}
